package process

import (
	"os"
	"strconv"
	"strings"
)

// look reads when a process began, in clock ticks since boot, and its parent's number. The name in the second field may
// hold anything, a ")" too, so the fields are counted from the last one.
func look(pid int) (start string, parent int, ok bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", 0, false
	}
	return parseStat(string(data))
}

func parseStat(line string) (start string, parent int, ok bool) {
	end := strings.LastIndexByte(line, ')')
	if end < 0 {
		return "", 0, false
	}
	fields := strings.Fields(line[end+1:]) // from "state", the third of proc(5)
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return "", 0, false
	}
	parent, err := strconv.Atoi(fields[1])
	return fields[19], parent, err == nil
}

func boot() string {
	data, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(data))
}

func space() string {
	text, _ := os.Readlink("/proc/self/ns/pid")
	return text
}
