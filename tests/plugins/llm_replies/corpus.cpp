// SPDX-License-Identifier: Apache-2.0
#include "corpus.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>

namespace kernelskill::llm {

namespace {

const QString folder = QStringLiteral(TEST_DIR "/corpus");

QString resolved(const QString &text)
{
    QString result;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] == u'\\' && text.mid(i + 1, 1) == QStringLiteral("r")) {
            result.append(u'\r');
            i += 1;
        } else if (text[i] == u'\\' && text.mid(i + 1, 1) == QStringLiteral("u")) {
            result.append(QChar(text.mid(i + 2, 4).toUShort(nullptr, 16)));
            i += 5;
        } else {
            result.append(text[i]);
        }
    }
    return result;
}

void setSection(Shape &shape, const QString &header, const QString &body)
{
    const QString name = header.section(u' ', 0, 0), rest = header.section(u' ', 1);
    if (shape.kind.isEmpty()) {
        shape.kind = name;
        shape.arguments = rest.split(u' ', Qt::SkipEmptyParts);
    } else if (name == u"reply") {
        shape.reply = rest == u"escapes" ? resolved(body) : body;
    } else if (name == u"object") {
        QJsonParseError error;
        shape.object = QJsonDocument::fromJson(body.toUtf8(), &error).object();
        if (error.error != QJsonParseError::NoError) qFatal("the expected object is no JSON: %s", qPrintable(body));
    } else if (name == u"code") {
        shape.code = body + u'\n';
    } else if (name == u"before") {
        shape.edits.append({body.isEmpty() ? QString() : body + u'\n', {}});
    } else if (name == u"after") {
        shape.edits.last().after = body.isEmpty() ? QString() : body + u'\n';
    } else if (name == u"problem") {
        shape.problem = rest;
    } else if (name == u"note") {
        shape.notes.append(rest);
    } else if (name == u"truncated") {
        shape.truncated = true;
    } else {
        qFatal("no such section: %s", qPrintable(header));
    }
}

} // namespace

QStringList shapeNames()
{
    QStringList names;
    for (const QString &file : QDir(folder).entryList({QStringLiteral("*.txt")}, QDir::Files, QDir::Name))
        names.append(file.chopped(4));
    return names;
}

Shape shape(const QString &name)
{
    QFile file(folder + u'/' + name + QStringLiteral(".txt"));
    if (!file.open(QIODevice::ReadOnly)) qFatal("no corpus file %s", qPrintable(name));
    const QString text = u'\n' + QString::fromUtf8(file.readAll()).chopped(1);
    Shape shape;
    for (const QString &section : text.split(QStringLiteral("\n%% ")).mid(1))
        setSection(shape, section.section(u'\n', 0, 0), section.section(u'\n', 1));
    return shape;
}

} // namespace kernelskill::llm
