// SPDX-License-Identifier: Apache-2.0
// What a person does with a session: edits code, tries skills, answers the agents' questions.
#include "shell/main_window.h"

#include "editor/edit_panel.h"
#include "memory/skills_panel.h"
#include "models/node_text.h"
#include "session/fork.h"
#include "shell/banner.h"
#include "shell/doctor_panel.h"
#include "shell/node_actions.h"
#include "shell/question_panel.h"
#include "shell/tab_panel.h"
#include "task/candidate_file.h"
#include "tasks/task_panel.h"
#include "trajectory/trajectory_panel.h"

#include <QDockWidget>
#include <QFileInfo>
#include <QStackedWidget>

using namespace Qt::StringLiterals;

namespace kernelskill {

void MainWindow::connectPerson()
{
    connect(m_trajectory, &TrajectoryPanel::menuWanted, m_nodeActions, &NodeActions::fill);
    connect(m_nodeActions, &NodeActions::editWanted, this, &MainWindow::editNode);
    connect(m_nodeActions, &NodeActions::proposed, this, &MainWindow::propose);
    connect(m_nodeActions, &NodeActions::compareWanted, this, &MainWindow::compareNodes);
    connect(m_nodeActions, &NodeActions::forkWanted, this, &MainWindow::forkFrom);
    connect(m_nodeActions, &NodeActions::annotated, this, [this](int node, const QString &kind, const QJsonObject &data) {
        m_run->annotate(m_document->path(), node, kind, data);
    });
    connect(m_question, &QuestionPanel::editWanted, this, &MainWindow::editForQuestion);
    connect(m_edit, &EditPanel::submitted, this, &MainWindow::submitEdit);
    connect(m_edit, &EditPanel::cancelled, this, &MainWindow::leaveEditor);
    connect(m_edit, &EditPanel::compileWanted, this, [this](int ticket, const Candidate &candidate) {
        m_run->compile({ticket, m_document->path(), m_document->trajectory().taskFolder,
                        m_document->trajectory().settings["evaluator"_L1].toString(), candidate});
    });
    connect(m_run, &RunController::compiled, m_edit, [this](const CompileAnswer &answer) {
        m_edit->showCompiled(answer.ticket, answer.findings, answer.trouble);
    });
    connect(m_doctor, &DoctorPanel::examinationWanted, this, &MainWindow::showDoctor);
    connect(m_run, &RunController::examined, m_doctor, &DoctorPanel::setLines);
    connect(m_run, &RunController::refused, this, [this](const Error &error) { m_banner->show(error); });
}

// A page of the right dock from the first time on.
void MainWindow::showDoctor()
{
    if (!m_rightTabs->contains(m_doctor)) m_rightTabs->insertPage(5, tr("Doctor"), m_doctor);
    m_rightDock->show();
    m_rightTabs->setCurrentPage(m_doctor);
    m_doctor->setBusy();
    m_run->examine();
}

void MainWindow::editNode(int id)
{
    const Candidate *candidate = m_document->candidate(id);
    const TrajectoryNode *node = m_document->node(id);
    if (!candidate || !node) return;
    if (m_edit->isModified()) {
        m_banner->show(Banner::Severity::Info, tr("There is code in the editor that was not handed in yet."), {}, tr("Discard it"),
                       [this, id] {
                           leaveEditor();
                           editNode(id);
                       });
        return;
    }
    leaveComparison();
    m_editedNode = id;
    m_edit->begin({tr("Your candidate, from node %1 %2").arg(id).arg(node_text::title(*node)), {}, tr("Evaluate"), *candidate});
    m_code->setCurrentWidget(m_edit);
}

void MainWindow::openCode(const QString &path)
{
    const int node = m_selection->selected();
    if (!m_document->candidate(node)) {
        m_banner->show(Banner::Severity::Info,
                       tr("%1 is code to try: open a session or start a run, select the node it is made from, and drop it again.")
                           .arg(QFileInfo(path).fileName()));
        return;
    }
    const auto text = readCandidateFile(path, QFileInfo(path).fileName());
    if (!text) {
        m_banner->show(text.error());
        return;
    }
    editNode(node);
    if (m_code->currentWidget() != m_edit || m_edit->isModified()) return; // what is in the editor comes first
    m_edit->setText(text->content);
}

void MainWindow::editForQuestion(const Question &question)
{
    leaveComparison();
    m_editedNode = -1;
    m_edit->begin({question.title, question.text, tr("Hand in"), Candidate::fromText(u"solve.cu"_s, question.initial)});
    m_code->setCurrentWidget(m_edit);
}

void MainWindow::submitEdit(const Candidate &candidate)
{
    if (m_editedNode < 0) {
        leaveEditor();
        m_question->finish({true, -1, candidate.mainText()});
        return;
    }
    propose({Proposal::Kind::Code, m_editedNode, candidate, tr("Edited by you"), {}});
    leaveEditor();
}

void MainWindow::leaveEditor()
{
    m_edit->finish();
    m_code->setCurrentIndex(0);
    m_trajectory->view()->setFocus();
}

void MainWindow::propose(const Proposal &proposal)
{
    if (m_document->path().isEmpty()) return;
    if (m_run->isActive() && m_run->sessionPath() != m_document->path()) {
        m_banner->show(Banner::Severity::Info, tr("A run of another session is under way; this one waits for its end."));
        return;
    }
    m_run->propose(proposal, m_document->path(), memoryPath());
    if (m_run->state() == RunState::Running)
        m_banner->show(Banner::Severity::Info, tr("It is taken before the next round."));
}

void MainWindow::forkFrom(int node)
{
    const auto forked = forkSession(m_document->path(), node, {});
    if (!forked) {
        m_banner->show(forked.error());
        return;
    }
    m_tasks->reload();
    openSession(*forked);
}

} // namespace kernelskill
