// Package main starts the manager.
package main

func main() {}
