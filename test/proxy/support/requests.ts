import { readFileSync } from 'node:fs';

/** Requests that config-restart in the namespace `demo` must never get through. */
export const HOSTILE: readonly string[] = readFileSync(
  new URL('../../../proxy/hostile-urls.txt', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** What config-restart in the namespace `demo` does, by its declaration: samples of each. */
export const DECLARED: readonly string[] = [
  'GET /version',
  'POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
  'GET /api/v1/namespaces/demo/configmaps?watch=true&allowWatchBookmarks=true',
  'GET /api/v1/namespaces/demo/configmaps?labelSelector=a%3Db%2Cc',
  'POST /api/v1/namespaces/demo/configmaps',
  'GET /api/v1/namespaces/demo/configmaps/web.config-1',
  'PATCH /api/v1/namespaces/demo/configmaps/config-restart-state',
  'GET /api/v1/namespaces/demo/pods?limit=500',
  'GET /api/v1/namespaces/demo/pods/web-0',
  'DELETE /api/v1/namespaces/demo/pods/web-0',
  'POST /api/v1/namespaces/demo/pods/web-0/eviction',
  'GET /api/v1/namespaces/demo/pods/exec', // a Pod that is named so
  'GET /apis/apps/v1/namespaces/demo/replicasets/web-5d',
  'PATCH /apis/apps/v1/namespaces/demo/deployments/web',
  'PATCH /apis/apps/v1/namespaces/demo/statefulsets/db',
  'PATCH /apis/apps/v1/namespaces/demo/daemonsets/agent',
  'POST /apis/events.k8s.io/v1/namespaces/demo/events',
  'GET /apis/k8spatterns.io/v1',
  'GET /apis/k8spatterns.io/v1/namespaces/demo/configwatchers?watch=true',
  'PATCH /apis/k8spatterns.io/v1/namespaces/demo/configwatchers/web/status',
  'GET /apis/k8spatterns.com/v1',
  'GET /apis/k8spatterns.com/v1/namespaces/demo/configwatchers/web',
  'PATCH /apis/k8spatterns.com/v1/namespaces/demo/configwatchers/web/status',
  'GET /apis/magalix.com/v1',
  'GET /apis/magalix.com/v1/namespaces/demo/configmonitors?watch=true',
  'PATCH /apis/magalix.com/v1/namespaces/demo/configmonitors/web/status',
];

/** `METHOD path`, as the lists above have it. */
export function split(line: string): [method: string, path: string] {
  const [method = '', path = ''] = line.split(' ', 2);
  return [method, path];
}
