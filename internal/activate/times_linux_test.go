package activate

import (
	"fmt"
	"syscall"
)

// times is when a file was written, and when anything about it was changed.
func times(st syscall.Stat_t) string { return fmt.Sprint(st.Mtim, st.Ctim) }
