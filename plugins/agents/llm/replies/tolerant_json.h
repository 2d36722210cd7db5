// SPDX-License-Identifier: Apache-2.0
// One JSON object as models write it: comments, trailing and missing commas, any quotes or none, raw line ends and quotes
// in strings, Python's and JavaScript's literals, brackets forgotten. What is right JSON is read as what it says, but for
// members without a name, which are left out.
#pragma once

#include <QJsonArray>
#include <QJsonObject>
#include <QJsonValue>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace kernelskill::llm {

class TolerantJson
{
public:
    enum class End {
        Complete, // its bracket closed
        Open,     // the text ends after a whole value; only closing brackets are missing
        Cut,      // the text ends inside a value
        Wrong     // no object
    };
    struct Result
    {
        End end = End::Wrong;
        QJsonObject object;   // empty for Wrong; of Cut and Open what there is
        qsizetype at = 0;     // behind the object, or where reading stopped
        QStringList mended;   // what was no JSON, once each
    };

    explicit TolerantJson(QStringView text) : m_whole(text), m_text(text) {}

    // The object that opens with the { at `at`. Never deeper than `deepest`; no recursion.
    [[nodiscard]] Result objectAt(qsizetype at);
    // The string whose quote stands at `at`: as an object that is written into a string.
    [[nodiscard]] std::optional<QString> stringAt(qsizetype at);

    static constexpr int deepest = 100;

private:
    enum class Place { Key, Member, Item };
    enum class Step { On, Done, Cut, Wrong };
    struct Frame
    {
        bool isObject = true, hasKey = false, wantsComma = false;
        QString key;
        std::vector<std::pair<QString, QJsonValue>> members;
        QJsonArray items;
    };

    void skipBlanks();
    [[nodiscard]] bool atEnd() const { return m_at >= m_text.size(); }
    [[nodiscard]] QChar peek(qsizetype ahead = 0) const;
    Step step();
    Step closeBracket(QChar bracket);
    Step readKey();
    Step readValue();
    Step open(bool object);
    void popFrame();
    void put(const QJsonValue &value);
    void mend(const QString &what);

    [[nodiscard]] static QChar closingQuote(QChar open);
    std::optional<QString> readString(Place place);
    std::optional<QString> readRawString(QStringView closing, qsizetype opening);
    bool readEscape(QString &out);
    [[nodiscard]] bool closesAt(qsizetype behind, Place place) const;
    [[nodiscard]] qsizetype behindBlanks(qsizetype at) const;
    [[nodiscard]] bool looksLikeKey(qsizetype at) const;
    Step readWord();
    static std::optional<QJsonValue> number(QStringView word);

    QStringView m_whole, m_text; // m_text ends where the block does
    qsizetype m_at = 0;
    std::vector<Frame> m_stack;
    QJsonObject m_result;
    QStringList m_mended;
    bool m_insideValue = false;
};

} // namespace kernelskill::llm
