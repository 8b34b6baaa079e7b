// Package controller has the controllers of the shop.
package controller

// +kubebuilder:rbac:groups=sales.example.com,resources=carts,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=sales.example.com,resources=carts/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=sales.example.com,resources=carts/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;update;patch
