package postgres

import "time"

// SetPatience sets how long calls wait for a database that restarts.
func (s *Store) SetPatience(d time.Duration) { s.patience = d }
