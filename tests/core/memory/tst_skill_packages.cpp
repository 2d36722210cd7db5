// SPDX-License-Identifier: Apache-2.0
// Folders and archives of skills in and out: nothing lost, nothing hostile taken in.
#include "archive_maker.h"
#include "memory_folder.h"

#include <QDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace kernelskill;
using namespace kernelskill::test;

namespace {

const QByteArray foreignText = "---\nname: pdf-forms\ndescription: Fills forms\n---\n# Forms\n";

} // namespace

class TestSkillPackages : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<MemoryFolder>(); }
    void aFolderComesBackByteForByte();
    void peculiarFoldersComeBack_data();
    void peculiarFoldersComeBack();
    void aFolderOfSkills();
    void archives_data();
    void archives();
    void importedSkillsAreDrafts();
    void anImportMayChangeASkill();
    void hostileArchives_data();
    void hostileArchives();
    void hostileZips_data();
    void hostileZips();
    void hostileFolders();
    void bombs_data();
    void bombs();
    void notAnArchive_data();
    void notAnArchive();
    void allOrNothing();
    void nothingIsOverwritten();

private:
    std::unique_ptr<MemoryFolder> m_folder;
};

void TestSkillPackages::aFolderComesBackByteForByte()
{
    m_folder->write("in/pdf-forms/SKILL.md", foreignText);
    m_folder->write("in/pdf-forms/scripts/fill.py", "#!/usr/bin/env python3\n", true);
    m_folder->write("in/pdf-forms/references/deep/er/notes.md", "notes");
    m_folder->write("in/pdf-forms/assets/logo.png", QByteArray("\x89PNG\r\n\x1a\n\0\0\xff", 11));
    m_folder->write("in/pdf-forms/LICENSE.txt", "");
    m_folder->write("in/pdf-forms/.hidden", "h");
    m_folder->write("in/pdf-forms/.DS_Store", "litter");
    SkillStore store = m_folder->store();
    const auto imported = store.importSkills(m_folder->path("in/pdf-forms"), "Ada");
    QVERIFY2(imported, qPrintable(imported ? QString() : imported.error().message));
    QCOMPARE(imported->size(), 1);
    QCOMPARE(store.attachments("pdf-forms", 1)->size(), 5);
    const auto exported = store.exportSkills(m_folder->path("out"));
    QVERIFY2(exported, qPrintable(exported ? QString() : exported.error().message));
    QCOMPARE(*exported, QStringList{m_folder->path("out/pdf-forms")});
    auto expected = m_folder->files("in");
    expected.remove("pdf-forms/.DS_Store");
    QCOMPARE(expected.size(), 6);
    QVERIFY(expected.contains("xpdf-forms/scripts/fill.py"));
    QCOMPARE(m_folder->files("out"), expected);
    // Exported skills can be read by anybody.
    QVERIFY(QFile::permissions(exported->first()) & QFile::ReadOther);
}

void TestSkillPackages::peculiarFoldersComeBack_data()
{
    QTest::addColumn<QByteArray>("text");
    const QByteArray name = "---\nname: odd\ndescription: d\n";
    QTest::newRow("CR LF and byte order mark")
        << QByteArray("\xef\xbb\xbf") + QByteArray(name + "---\nb\n").replace("\n", "\r\n");
    QTest::newRow("blanks behind the dashes") << QByteArray(name + "---  \nbody").replace("---\nname", "--- \t\nname");
    QTest::newRow("no end of line") << name + "---\nbody";
    QTest::newRow("nested metadata") << name + "metadata:\n  a: {b: [1, 2]}\n  c: [x]\nhooks:\n  - run: x\n---\n";
    QTest::newRow("comments and odd spacing") << name + "# a comment\nlicense:    MIT   # why\n\n---\n\n\n\nbody\n\n\n";
    QTest::newRow("unquoted colon") << QByteArray("---\nname: odd\ndescription: Use when: asked # really\n---\n");
    QTest::newRow("not UTF-8") << name + "---\nGr\xf6\xdf"
                                         "e\n";
    QTest::newRow("name is another") << QByteArray("---\nname: Odd\ndescription: d\n---\n");
    QTest::newRow("long description") << QByteArray("---\nname: odd\ndescription: ") + QByteArray(3000, 'x') +
                                             "\n---\n";
    QTest::newRow("no name") << QByteArray("---\ndescription: d\n---\n");
    QTest::newRow("tools as a list") << name + "allowed-tools:\n  - Bash(git add *)\n  - Read\n---\n";
    QTest::newRow("a rule in the body") << name + "---\n---\nname: not-this\n---\n";
    QTest::newRow("html and nul") << name + QByteArray("---\n<b>\0</b>\n", 14);
}

void TestSkillPackages::peculiarFoldersComeBack()
{
    QFETCH(QByteArray, text);
    m_folder->write("in/odd/SKILL.md", text);
    m_folder->write("in/odd/references/a b.md", "x");
    SkillStore store = m_folder->store();
    const auto imported = store.importSkills(m_folder->path("in"), "Ada");
    QVERIFY2(imported, qPrintable(imported ? QString() : imported.error().message));
    QCOMPARE(imported->first().name, QString("odd"));
    QCOMPARE(*store.textOf("odd", 1), text);
    QVERIFY(store.exportSkills(m_folder->path("out")));
    QCOMPARE(m_folder->files("out"), m_folder->files("in"));
    // Again from what was exported: the same skill.
    const auto again = store.importSkills(m_folder->path("out"), "Ada");
    QVERIFY(again->first().outcome == ImportedSkill::Outcome::Unchanged);
}

void TestSkillPackages::aFolderOfSkills()
{
    m_folder->write("in/README.md", "not a skill's");
    m_folder->write("in/skills/a/SKILL.md", MemoryFolder::text("a", "A").toUtf8());
    m_folder->write("in/skills/a/examples/b/SKILL.md", "inside another skill: a file of it");
    m_folder->write("in/more/deeper/c/SKILL.md", MemoryFolder::text("c", "C").toUtf8());
    m_folder->write("in/.git/objects/d/SKILL.md", "version control");
    SkillStore store = m_folder->store();
    const auto imported = store.importSkills(m_folder->path("in"), "Ada");
    QVERIFY2(imported, qPrintable(imported ? QString() : imported.error().message));
    QCOMPARE(imported->size(), 2);
    QCOMPARE(store.attachments("a", 1)->first().path, QString("examples/b/SKILL.md"));
    QVERIFY(store.skill("c")->has_value());
    QVERIFY(store.importSkills(m_folder->path("in/skills/a/SKILL.md"), "Ada")->first().outcome ==
            ImportedSkill::Outcome::Unchanged);
}

void TestSkillPackages::archives_data()
{
    QTest::addColumn<MadeFormat>("format");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("prefix");
    QTest::newRow("zip") << MadeFormat::Zip << "pdf-forms.zip" << QByteArray("pdf-forms/");
    QTest::newRow("skill") << MadeFormat::Zip << "pdf-forms.skill" << QByteArray("");
    QTest::newRow("tar") << MadeFormat::Tar << "x.tar" << QByteArray("./repo/skills/pdf-forms/");
    QTest::newRow("tar.gz") << MadeFormat::TarGz << "x.tar.gz" << QByteArray("pdf-forms/");
    QTest::newRow("told by content") << MadeFormat::TarGz << "download" << QByteArray("pdf-forms/");
}

void TestSkillPackages::archives()
{
    QFETCH(MadeFormat, format);
    QFETCH(QString, name);
    QFETCH(QByteArray, prefix);
    const QByteArray binary("\0\1\xff", 3);
    makeArchive(m_folder->path(name), format,
                {{prefix + "SKILL.md", foreignText},
                 {prefix + "scripts/", {}, MadeEntry::Kind::Folder},
                 {prefix + "scripts/run.sh", "#!/bin/sh\n", MadeEntry::Kind::File, {}, true},
                 {prefix + "assets/\xc3\xa4.bin", binary},
                 {"__MACOSX/._x", "litter"}});
    SkillStore store = m_folder->store();
    const auto imported = store.importSkills(m_folder->path(name), "Ada");
    QVERIFY2(imported, qPrintable(imported ? QString() : imported.error().message));
    QCOMPARE(imported->size(), 1);
    QCOMPARE(imported->first().name, QString("pdf-forms"));
    QCOMPARE(*store.textOf("pdf-forms", 1), foreignText);
    const auto attachments = *store.attachments("pdf-forms", 1);
    QCOMPARE(attachments.size(), 2);
    QCOMPARE(attachments[0].path, QString::fromUtf8("assets/\xc3\xa4.bin"));
    QCOMPARE(attachments[0].bytes, binary);
    QVERIFY(!attachments[0].executable);
    QCOMPARE(attachments[1].path, QString("scripts/run.sh"));
    QVERIFY(attachments[1].executable);
}

void TestSkillPackages::importedSkillsAreDrafts()
{
    m_folder->write("in/pdf-forms/SKILL.md", foreignText);
    SkillStore store = m_folder->store();
    QVERIFY(store.importSkills(m_folder->path("in"), "Ada"));
    const auto skill = **store.skill("pdf-forms");
    QVERIFY(skill.state == SkillState::Draft);
    QCOMPARE(skill.stateReason, "imported from " + m_folder->path("in/pdf-forms"));
    QVERIFY(skill.foreign && skill.languages.isEmpty() && skill.requires_.isEmpty());
    QCOMPARE(store.history("pdf-forms")->first().author, QString("Ada"));
    // The same on disk among those that ship: a draft, too.
    m_folder->write("skills/alien/SKILL.md", "---\nname: alien\ndescription: d\n---\n");
    QVERIFY((*m_folder->store().skill("alien"))->state == SkillState::Draft);
}

void TestSkillPackages::anImportMayChangeASkill()
{
    m_folder->writeSkill("a", "one");
    SkillStore store = m_folder->store();
    QVERIFY(store.setState("a", SkillState::Pinned, "good", "Ada"));
    m_folder->write("in/a/SKILL.md", MemoryFolder::text("a", "two").toUtf8());
    m_folder->write("in/a/extra.md", "x");
    const auto imported = store.importSkills(m_folder->path("in"), "Ben");
    QVERIFY(imported->first().outcome == ImportedSkill::Outcome::Changed);
    QCOMPARE(imported->first().revision, 2);
    QVERIFY((*store.skill("a"))->state == SkillState::Draft);
    // One undo takes text, attachments and state back.
    const auto undone = store.undo("a");
    QVERIFY2(undone, qPrintable(undone ? QString() : undone.error().message));
    QCOMPARE(*undone, QString("a: revision 3 is revision 1 again, it is pinned again"));
    QCOMPARE((*store.skill("a"))->body, QString("one"));
    QVERIFY((*store.skill("a"))->state == SkillState::Pinned);
    QCOMPARE((*store.skill("a"))->stateReason, QString("good"));
    QVERIFY(store.attachments("a", 3)->isEmpty());
}

void TestSkillPackages::hostileArchives_data()
{
    QTest::addColumn<QList<MadeEntry>>("entries");
    QTest::addColumn<QString>("rule");
    using Kind = MadeEntry::Kind;
    const MadeEntry skill{"a/SKILL.md", foreignText};
    const auto row = [&](const char *name, const QList<MadeEntry> &entries, const char *rule) {
        QTest::newRow(name) << QList<MadeEntry>{skill} + entries << QString::fromUtf8(rule);
    };
    row("dots", {{"a/../../etc/passwd", "x"}}, "has '..' in a path");
    row("dots first", {{"../x", "x"}}, "'../x' has '..' in a path");
    row("absolute", {{"/etc/cron.d/x", "x"}}, "an absolute path");
    row("backslash", {{"a/..\\..\\x", "x"}}, "a backslash in a name");
    row("drive", {{"C:/x", "x"}}, "a colon in a name");
    row("empty name", {{"a//x", "x"}}, "an empty name");
    row("new line", {{"a/x\ny", "x"}}, "an invisible character in a name");
    row("right to left", {{"a/x\xe2\x80\xaegnp.sh", "x"}}, "an invisible character in a name");
    row("dot at the end", {{"a/x.", "x"}}, "ends in a dot");
    row("symbolic link", {{"a/link", {}, Kind::SymbolicLink, "/etc/passwd"}}, "'a/link' is a symbolic link");
    row("hard link", {{"a/link", {}, Kind::HardLink, "a/SKILL.md"}}, "'a/link' is a hard link");
    row("device", {{"a/null", {}, Kind::Device}}, "'a/null' is no ordinary file or folder");
    row("pipe", {{"a/pipe", {}, Kind::Pipe}}, "'a/pipe' is no ordinary file or folder");
    row("case", {{"a/Notes.md", "1"}, {"a/notes.md", "2"}}, "differs from 'a/Notes.md' in case or Unicode form only");
    row("case of the folder", {{"A/notes.md", "2"}}, "differs from 'a' in case or Unicode form only");
    // The archive's reader composes names itself, so these are one.
    row("Unicode form", {{"a/\xc3\xa4.md", "1"}, {"a/a\xcc\x88.md", "2"}}, "has the name of an entry before it");
    row("ligature", {{"a/\xef\xac\x81le", "1"}, {"a/file", "2"}}, "in case or Unicode form only");
    row("twice", {{"a/x", "1"}, {"a/x", "2"}}, "has the name of an entry before it");
    row("file as folder", {{"a/x", "1"}, {"a/x/y", "2"}}, "has a file where a folder should be");
    row("long name", {{"a/" + QByteArray(300, 'x'), "1"}}, "more than 255 bytes");
}

void TestSkillPackages::hostileArchives()
{
    QFETCH(QList<MadeEntry>, entries);
    QFETCH(QString, rule);
    makeArchive(m_folder->path("x.tar"), MadeFormat::Tar, entries);
    SkillStore store = m_folder->store();
    const auto imported = store.importSkills(m_folder->path("x.tar"), "Ada");
    QVERIFY(!imported);
    QCOMPARE(imported.error().code, QString("package.unsafe"));
    QVERIFY2(imported.error().message.contains(rule), qPrintable(imported.error().message));
    QVERIFY(imported.error().message.startsWith(m_folder->path("x.tar") + ": refused, nothing was taken in"));
    QVERIFY(store.skills()->isEmpty());
    QVERIFY(!QFile::exists(m_folder->path("etc")));
}

void TestSkillPackages::hostileZips_data()
{
    QTest::addColumn<MadeEntry>("entry");
    QTest::addColumn<QString>("rule");
    using Kind = MadeEntry::Kind;
    QTest::newRow("dots") << MadeEntry{"a/../../x", "x"} << "has '..' in a path";
    QTest::newRow("absolute") << MadeEntry{"/x", "x"} << "has an absolute path";
    QTest::newRow("symbolic link") << MadeEntry{"a/link", {}, Kind::SymbolicLink, "/etc/passwd"}
                                   << "is a symbolic link";
    QTest::newRow("case") << MadeEntry{"a/skill.MD", "x"} << "in case or Unicode form only";
    QTest::newRow("twice") << MadeEntry{"a/SKILL.md", "x"} << "has the name of an entry before it";
}

void TestSkillPackages::hostileZips()
{
    QFETCH(MadeEntry, entry);
    QFETCH(QString, rule);
    makeArchive(m_folder->path("x.skill"), MadeFormat::Zip, {{"a/SKILL.md", foreignText}, entry});
    SkillStore store = m_folder->store();
    const auto imported = store.importSkills(m_folder->path("x.skill"), "Ada");
    QVERIFY(!imported);
    QCOMPARE(imported.error().code, QString("package.unsafe"));
    QVERIFY2(imported.error().message.contains(rule), qPrintable(imported.error().message));
    QVERIFY(store.skills()->isEmpty());
}

void TestSkillPackages::hostileFolders()
{
    const QByteArray folder = QFile::encodeName(m_folder->path("in/pdf-forms"));
    m_folder->write("in/pdf-forms/SKILL.md", foreignText);
    SkillStore store = m_folder->store();
    QCOMPARE(::symlink("/etc/passwd", (folder + "/link").constData()), 0);
    auto imported = store.importSkills(m_folder->path("in"), "Ada");
    QVERIFY(!imported);
    QVERIFY2(imported.error().message.contains("'pdf-forms/link' is a symbolic link"),
             qPrintable(imported.error().message));
    QVERIFY(QFile::remove(folder + "/link"));
    QCOMPARE(::mkfifo((folder + "/pipe").constData(), 0600), 0);
    imported = store.importSkills(m_folder->path("in"), "Ada"); // does not wait for a writer either
    QVERIFY(!imported);
    QVERIFY(imported.error().message.contains("is a device, pipe or socket"));
    QVERIFY(QFile::remove(folder + "/pipe"));
    QCOMPARE(::symlink(".", (folder + "/loop").constData()), 0);
    QVERIFY(!store.importSkills(m_folder->path("in"), "Ada"));
    QVERIFY(QFile::remove(folder + "/loop"));
    m_folder->write(QString::fromUtf8("in/pdf-forms/\xc3\xa4"), "1");
    m_folder->write(QString::fromUtf8("in/pdf-forms/a\xcc\x88"), "2");
    imported = store.importSkills(m_folder->path("in"), "Ada");
    QVERIFY(!imported);
    QVERIFY2(imported.error().message.contains("in case or Unicode form only"), qPrintable(imported.error().message));
    QVERIFY(QFile::remove(m_folder->path(QString::fromUtf8("in/pdf-forms/a\xcc\x88"))));
    m_folder->write("in/pdf-forms/x\ny", "1");
    imported = store.importSkills(m_folder->path("in"), "Ada");
    QVERIFY2(!imported && imported.error().message.contains("an invisible character"), "a new line in a name");
    QVERIFY(QFile::remove(m_folder->path("in/pdf-forms/x\ny")));
    QVERIFY(store.importSkills(m_folder->path("in"), "Ada"));
}

void TestSkillPackages::bombs_data()
{
    QTest::addColumn<QList<MadeEntry>>("entries");
    QTest::addColumn<PackageLimits>("limits");
    QTest::addColumn<QString>("rule");
    const MadeEntry skill{"a/SKILL.md", foreignText};
    PackageLimits anyRatio;
    anyRatio.unpackedPerPackedByte = 1 << 20;
    QTest::newRow("a file") << QList<MadeEntry>{skill, {"a/x", QByteArray(17 << 20, 'x')}} << anyRatio
                            << "'a/x' has more than 16 MiB";
    QList<MadeEntry> many{skill};
    for (int i = 0; i < 5000; ++i)
        many.append({"a/" + QByteArray::number(i), {}, MadeEntry::Kind::Folder});
    QTest::newRow("entries") << many << PackageLimits() << "more than 4096 entries";
    QList<MadeEntry> large{skill};
    for (int i = 0; i < 6; ++i)
        large.append({"a/" + QByteArray::number(i), QByteArray(12 << 20, char('a' + i))});
    QTest::newRow("total") << large << anyRatio << "its files have more than 64 MiB";
    QTest::newRow("ratio") << QList<MadeEntry>{skill, {"a/x", QByteArray(12 << 20, '\0')}} << PackageLimits()
                           << "unpacks to more than 200 times its size";
    QTest::newRow("SKILL.md") << QList<MadeEntry>{{"a/SKILL.md", foreignText + QByteArray(1 << 20, 'x')}}
                              << PackageLimits() << "larger than 1 MiB";
}

void TestSkillPackages::bombs()
{
    QFETCH(QList<MadeEntry>, entries);
    QFETCH(PackageLimits, limits);
    QFETCH(QString, rule);
    SkillStore store = m_folder->store();
    for (const auto &[name, format] : {std::pair{"x.zip", MadeFormat::Zip}, {"x.tar.gz", MadeFormat::TarGz}}) {
        makeArchive(m_folder->path(name), format, entries);
        const auto imported = store.importSkills(m_folder->path(name), "Ada", limits);
        QVERIFY(!imported);
        QVERIFY2(imported.error().message.contains(rule), qPrintable(imported.error().message));
        QVERIFY(store.skills()->isEmpty());
    }
}

void TestSkillPackages::notAnArchive_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("text") << QByteArray("hello");
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("half a zip") << QByteArray("PK\3\4\24\0\0\0", 8);
    QTest::newRow("noise") << QByteArray("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xff\xff\xff\xff", 14);
}

void TestSkillPackages::notAnArchive()
{
    QFETCH(QByteArray, bytes);
    m_folder->write("x.skill", bytes);
    SkillStore store = m_folder->store();
    const auto imported = store.importSkills(m_folder->path("x.skill"), "Ada");
    QVERIFY(!imported);
    QVERIFY2(imported.error().code.startsWith("package."), qPrintable(imported.error().code));
    QVERIFY(imported.error().message.startsWith(m_folder->path("x.skill")));
}

void TestSkillPackages::allOrNothing()
{
    m_folder->write("in/a/SKILL.md", MemoryFolder::text("a", "A").toUtf8());
    m_folder->write("in/b/SKILL.md", "no front matter");
    SkillStore store = m_folder->store();
    auto imported = store.importSkills(m_folder->path("in"), "Ada");
    QVERIFY(!imported);
    QVERIFY2(imported.error().message.startsWith(m_folder->path("in/b/SKILL.md") + ":1: a skill starts with"),
             qPrintable(imported.error().message));
    QVERIFY(store.skills()->isEmpty());
    m_folder->write("in/b/SKILL.md", MemoryFolder::text("a", "other").toUtf8());
    imported = store.importSkills(m_folder->path("in"), "Ada");
    QVERIFY(!imported);
    QVERIFY2(imported.error().message.contains("'a' is the name of the skill in"),
             qPrintable(imported.error().message));
    QVERIFY(store.skills()->isEmpty());
    QCOMPARE(store.importSkills(m_folder->path("nowhere"), "Ada").error().code, QString("package.missing"));
    m_folder->write("empty/x", "y");
    QVERIFY(store.importSkills(m_folder->path("empty"), "Ada").error().message.contains("holds no SKILL.md"));
}

void TestSkillPackages::nothingIsOverwritten()
{
    m_folder->writeSkill("a", "A");
    m_folder->writeSkill("b", "B");
    const SkillStore store = m_folder->store();
    m_folder->write("out/b/mine", "x");
    const auto exported = store.exportSkills(m_folder->path("out"));
    QVERIFY(!exported);
    QVERIFY(exported.error().message.startsWith(m_folder->path("out/b") + ": exists"));
    QCOMPARE(m_folder->files("out").keys(), QStringList{"b/mine"});
    QCOMPARE(store.exportSkills(m_folder->path("out"), {"a", "none"}).error().code, QString("memory.no_skill"));
    QVERIFY(store.exportSkills(m_folder->path("out"), {"a"}));
    QCOMPARE(m_folder->files("out").keys(), (QStringList{"a/SKILL.md", "b/mine"}));
}

QTEST_GUILESS_MAIN(TestSkillPackages)
#include "tst_skill_packages.moc"
