// Package distributive is an example: how inroad learns what one rule of a small
// optimiser asks for, and makes inputs that reach it. See its README.
package distributive
