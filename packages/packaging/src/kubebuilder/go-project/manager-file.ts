/** The Deployment of every project that kubebuilder has made for Go. */
export const MANAGER_FILE = 'config/manager/manager.yaml';
