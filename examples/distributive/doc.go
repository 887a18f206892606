// Package distributive is an example: inroad learns which inputs reach one rule of
// a small optimiser, and generates more of them. See README.md.
package distributive
