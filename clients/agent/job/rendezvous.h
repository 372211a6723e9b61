// How the ranks of a node give their tables to the rank that drains them: each creates its table in
// anonymous shared memory and passes the descriptor over a Unix socket with an abstract name.
// Nothing of it has a name in a file system, so nothing is left behind however a process ends.
//
// Only processes of the same user are listened to. No function blocks. One thread at a time.
#ifndef COX_AGENT_JOB_RENDEZVOUS_H_
#define COX_AGENT_JOB_RENDEZVOUS_H_

#include "agent/timing/table.h"

namespace cox::agent {

// Memory for a table, zeroed, and the descriptor to pass on (-1: none to pass). Null when the
// system refuses.
Table* CreateTable(int* descriptor);
void DestroyTable(Table* table);

// Listens for the tables of this launch; -1 when the name is taken or the system refuses.
int ListenForTables(const char* launch_id);

// Passes a table to the listener of this launch. False when there is none (yet).
bool PassTable(const char* launch_id, int descriptor);

// The next table that was passed, mapped; null when there is none at the moment. What is not a
// table is refused and skipped.
Table* AcceptTable(int listener);

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_RENDEZVOUS_H_
