"""What results come to: the leader, gates, caveats and the sentences of page one."""
