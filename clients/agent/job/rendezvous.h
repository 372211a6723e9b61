// How the ranks of a node pass their tables to the rank that drains them. Each rank creates its
// table in anonymous shared memory and passes the descriptor over a Unix socket with an abstract
// name. No file system has a name for it, so nothing is left behind when a process is killed.
//
// Accepts only processes of the same user. No function blocks, but AcceptTable() waits up to five
// milliseconds for a rank that has just connected. One thread at a time.
#ifndef COX_AGENT_JOB_RENDEZVOUS_H_
#define COX_AGENT_JOB_RENDEZVOUS_H_

#include "agent/timing/table.h"

namespace cox::agent {

// Creates a zeroed table, and the descriptor to pass on (-1: none). Null when the system refuses.
Table* CreateTable(int* descriptor);
void DestroyTable(Table* table);

// Returns a listener for the tables of this launch; -1 when the name is taken or the system
// refuses.
int ListenForTables(const char* launch_id);

// Passes a table to the listener of this launch. False when there is no listener yet.
bool PassTable(const char* launch_id, int descriptor);

// Maps the next table that was passed; null when none is waiting. Skips descriptors that are not
// tables.
Table* AcceptTable(int listener);

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_RENDEZVOUS_H_
