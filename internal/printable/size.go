package printable

import "fmt"

// Size prints bytes as a person reads them.
func Size(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	f, exp := float64(n)/unit, 0
	for f >= unit && exp < 5 {
		f /= unit
		exp++
	}
	return fmt.Sprintf("%.1f %ciB", f, "KMGTPE"[exp])
}
