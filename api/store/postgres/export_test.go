package postgres

import "time"

// SetPatience sets how long calls wait for a database that restarts.
func (s *Store) SetPatience(d time.Duration) { s.patience = d }

// SetCloseLimit sets how long Close waits for calls in progress.
func (s *Store) SetCloseLimit(d time.Duration) { s.closeLimit = d }
