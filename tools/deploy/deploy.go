// Package deploy checks the files in the folder deploy. Its tests are in this module so
// that the types of Kubernetes are not among the requirements of inroad.
package deploy
