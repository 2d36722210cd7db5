// SPDX-License-Identifier: Apache-2.0
// Every skill that ships has a worked example, and the example keeps what the skill promises: both versions are right on all
// sizes, and the counters move as promised. Where the simulator cannot run one, the record of a measurement stands in.
#include "memory/longterm/skill.h"
#include "program.h"

#include <QCryptographicHash>
#include <QDir>
#include <QJsonDocument>
#include <QTest>

using namespace kernelskill;
using namespace kernelskill::test;

namespace {

const QString skillsFolder = QStringLiteral(SOURCE_DIR "/skills");

QJsonObject jsonOf(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QJsonDocument::fromJson(file.readAll()).object();
}

// By at least 1 %, so that rounding keeps no promise.
bool isKept(const QString &change, double before, double after)
{
    if (change == u"lower") return after < 0.99 * before;
    if (change == u"higher") return after > 1.01 * before;
    const double bound = change.section(u' ', 2, 2).toDouble();
    return change.startsWith(u"at most ") ? after <= bound : change.startsWith(u"at least ") && after >= bound;
}

} // namespace

class tst_skill_examples : public QObject
{
    Q_OBJECT
    TestFolders m_folders;

    void keepsPromises(const Skill &skill, const QJsonObject &before, const QJsonObject &after, const QStringList &except = {})
    {
        for (const PromisedChange &promise : skill.promises) {
            if (except.contains(promise.metric)) continue;
            QVERIFY2(before.value(promise.metric).isDouble() && after.value(promise.metric).isDouble(), qPrintable(promise.metric));
            const double was = before.value(promise.metric).toDouble(), is = after.value(promise.metric).toDouble();
            qInfo("%s %s: %g -> %g", qPrintable(promise.metric), qPrintable(promise.change), was, is);
            QVERIFY2(isKept(promise.change, was, is), qPrintable(promise.metric));
        }
    }

    // Both at a time: the compilers take most of it.
    void evaluate(const QString &example, const QStringList &files, QList<QJsonObject> &results)
    {
        std::vector<std::unique_ptr<QProcess>> processes;
        for (const QString &file : files) {
            processes.push_back(std::make_unique<QProcess>());
            m_folders.prepare(*processes.back(), "kernelskill", {"evaluate", example, example + u'/' + file, "--json"});
            processes.back()->start();
        }
        for (size_t i = 0; i < processes.size(); ++i) {
            QVERIFY(processes[i]->waitForFinished(240'000));
            const QJsonObject result = QJsonDocument::fromJson(processes[i]->readAllStandardOutput()).object();
            QVERIFY2(result.value("verdict").toString() == u"verified",
                     qPrintable(files[qsizetype(i)] + u' ' + QJsonDocument(result.value("checks").toArray()).toJson() +
                                processes[i]->readAllStandardError()));
            QVERIFY(result.value("findings").toArray().isEmpty());
            results.append(result);
        }
    }

private Q_SLOTS:
    void thereAreEnough()
    {
        QStringList methods;
        int beyond = 0;
        for (const QString &name : QDir(skillsFolder).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            const auto skill = readSkill(skillsFolder + u'/' + name);
            QVERIFY2(skill, qPrintable(skill ? QString() : skill.error().message));
            QVERIFY2(!skill->promises.isEmpty() && !skill->prohibits.isEmpty(), qPrintable(name));
            if (skill->method.isEmpty()) ++beyond;
            else methods.append(skill->method);
        }
        for (int i = 1; i <= 24; ++i)
            QVERIFY2(methods.count(QStringLiteral("M%1").arg(i)) == 1, qPrintable(QString::number(i)));
        QVERIFY(beyond >= 16);
    }

    void keepsItsPromises_data()
    {
        QTest::addColumn<QString>("name");
        for (const QString &name : QDir(skillsFolder).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            QTest::newRow(qPrintable(name)) << name;
    }

    void keepsItsPromises()
    {
        QFETCH(QString, name);
        const QString folder = skillsFolder + u'/' + name, example = folder + QStringLiteral("/references/example");
        const auto skill = readSkill(folder);
        QVERIFY(skill);
        QList<QJsonObject> results;
        if (skill->verifiedBy.isEmpty()) {
            evaluate(example, {"baseline.cu", "after.cu"}, results);
            if (QTest::currentTestFailed()) return;
            keepsPromises(*skill, results[0].value("metrics").toObject(), results[1].value("metrics").toObject());
            return;
        }
        evaluate(example, {"baseline.cu"}, results);
        if (QTest::currentTestFailed()) return;
        const QJsonObject measured = jsonOf(example + QStringLiteral("/measured.json"));
        for (const char *file : {"baseline", "after"}) {
            QFile source(example + QStringLiteral("/%1.cu").arg(QLatin1String(file)));
            QVERIFY(source.open(QIODevice::ReadOnly));
            const QByteArray digest = QCryptographicHash::hash(source.readAll(), QCryptographicHash::Sha256).toHex();
            // A changed source must be measured anew.
            QCOMPARE(measured.value(QStringLiteral("%1_sha256").arg(QLatin1String(file))).toString().toLatin1(), digest);
        }
        const QJsonObject before = measured.value("before").toObject(), after = measured.value("after").toObject();
        QVERIFY(isKept("lower", before.value("call_us").toDouble(), after.value("call_us").toDouble()));
        keepsPromises(*skill, before, after, measured.value("not_measured").toVariant().toStringList());
    }
};

QTEST_GUILESS_MAIN(tst_skill_examples)
#include "tst_skill_examples.moc"
