/** The file with the Deployment in every Go project of kubebuilder. */
export const MANAGER_FILE = 'config/manager/manager.yaml';
