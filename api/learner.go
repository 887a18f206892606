package api

import (
	"cmp"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/golearn"
)

// newLearner returns the learner that a training request names.
func newLearner(name openapi.TrainOptionsLearner) (model.Learner, error) {
	if name != openapi.GolearnLearner {
		return model.Learner{}, nil
	}
	if !golearn.Available {
		return model.Learner{}, &openapi.FieldError{Field: "learner", Value: string(name), Problem: golearn.ErrNotBuilt.Error()}
	}
	return model.Learner{Name: string(name), InMemory: true, New: func(t *dtree.Table, rows []int32, opt dtree.Options) model.TreeLearner {
		return golearn.New(t, rows, opt)
	}}, nil
}

// setBalance sets the learner's default balance if a training request has none. Golearn
// has no class weights.
func setBalance(o *openapi.TrainOptions) error {
	if o.Learner != openapi.GolearnLearner {
		o.Balance = cmp.Or(o.Balance, openapi.Sqrt)
		return nil
	}
	if o.Balance == openapi.Sqrt {
		return &openapi.FieldError{Field: "balance", Value: string(o.Balance), Problem: golearn.ErrBalance.Error()}
	}
	o.Balance = cmp.Or(o.Balance, openapi.None)
	return nil
}
