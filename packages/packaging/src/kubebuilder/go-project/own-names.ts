/** The container of the ambassador. */
export const PROXY = 'proxy';

/** Volumes of the Pod, with names that a project is unlikely to use. */
export const CREDENTIALS = 'ambassador-credentials';
export const KUBECONFIG = 'ambassador-kubeconfig';
export const NAMESPACE = 'pod-namespace';
export const TMP = 'manager-tmp';

/** All volumes of this plugin. */
export const OWN_VOLUMES: readonly string[] = [
  CREDENTIALS,
  KUBECONFIG,
  NAMESPACE,
  TMP,
  'gate-tls',
  'gate-config',
  'gate-run',
];
