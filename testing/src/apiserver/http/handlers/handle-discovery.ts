import type { Cluster } from '../../cluster/cluster.ts';
import { AGGREGATED_TYPE, aggregatedDiscovery, entityTag } from '../../discovery/aggregated.ts';
import { FILLING, type HealthEndpoint, hasCheck, healthReport } from '../../discovery/health.ts';
import { apiVersions, groupDocument, groupList, resourceList } from '../../discovery/legacy.ts';
import { METRICS_TYPE, metricsText, type ObjectCount } from '../../discovery/metrics.ts';
import { rootPaths } from '../../discovery/root-paths.ts';
import { ISSUER_KEYS, issuerDocument } from '../../discovery/token-issuer.ts';
import { methodNotAllowed } from '../../failures/request-failures.ts';
import { goJson, prettyJson } from '../../objects/canonical.ts';
import type { Json } from '../../objects/metadata.ts';
import type { ResourceName } from '../../objects/stored-object.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { clauses, JSON_ROUTE, type Offer, PLAIN, PLAIN_ROUTE } from '../exchange/negotiate.ts';
import { withoutLastSlashes } from '../exchange/request-info.ts';
import { handleOpenApi } from './handle-open-api.ts';

/**
 * Answers requests for paths that are not resources. Paths with a route accept only GET. The handlers of the
 * other paths ignore the method.
 *
 * @returns false for a path that is not served.
 * @throws ApiError 405 for a method other than GET on a route.
 */
export function handleDiscovery(exchange: Exchange, cluster: Cluster, address: string): boolean {
  const { path } = exchange;
  if (path === '/' || path === '/index.html') {
    exchange.text(200, prettyJson(rootPaths(cluster.registry)), 'application/json');
    return true;
  }
  const route = withoutLastSlashes(path);
  if (route === '/.well-known/openid-configuration') {
    requireGet(exchange);
    exchange.json(200, issuerDocument(address));
    return true;
  }
  if (route === '/openid/v1/jwks') {
    requireGet(exchange);
    exchange.json(200, ISSUER_KEYS, 'application/jwk-set+json');
    return true;
  }
  const parts = route.split('/').slice(1);
  switch (parts[0]) {
    case 'healthz':
    case 'livez':
    case 'readyz':
      // No router checks these paths.
      return path === route && health(exchange, cluster, parts[0], parts.slice(1).join('/'));
    case 'version':
      if (parts.length > 1) return false;
      requireGet(exchange);
      exchange.formFrom(JSON_ROUTE);
      exchange.text(200, prettyJson(cluster.behaviour.version), 'application/json');
      return true;
    case 'metrics':
      if (parts.length > 1) return false;
      exchange.text(
        200,
        metricsText(cluster.behaviour.version, objectCounts(cluster)),
        METRICS_TYPE,
      );
      return true;
    case 'openapi':
      return handleOpenApi(exchange, cluster);
    case 'api':
    case 'apis':
      if (parts.length === 1) return root(exchange, cluster, parts[0] === 'api', address);
      return resources(exchange, cluster.registry, parts);
    default:
      return false;
  }
}

/** The number of objects in each collection. A collection with several API versions is counted once. */
function objectCounts({ registry, storage }: Cluster): readonly ObjectCount[] {
  const counts = new Map<ResourceName, ObjectCount>();
  for (const { storedAs, group, plural, verbs } of registry.all()) {
    if (!verbs.includes('list') || counts.has(storedAs)) continue;
    counts.set(storedAs, { group, resource: plural, count: storage.list(storedAs).length });
  }
  return [...counts.values()];
}

function requireGet({ method }: Exchange): void {
  if (method !== 'GET') throw methodNotAllowed();
}

function health(
  exchange: Exchange,
  { behaviour, watchCache }: Cluster,
  endpoint: HealthEndpoint,
  check: string,
): boolean {
  if (check !== '' && !hasCheck(endpoint, check)) return false;
  const failing = behaviour.gates.startsFilled && watchCache.isFilling ? FILLING : undefined;
  if (check !== '') {
    if (check === failing) exchange.plain(500, 'internal server error: not finished\n');
    else exchange.plain(200, 'ok');
    return true;
  }
  const verbose = exchange.query.has('verbose');
  const exclude = exchange.query.getAll('exclude');
  const { isWell, text } = healthReport(endpoint, { verbose, exclude, failing });
  exchange.plain(isWell ? 200 : 500, text);
  return true;
}

/** Answers `/api/v1`, `/apis/<group>` and `/apis/<group>/<version>`. */
function resources(exchange: Exchange, registry: Registry, parts: readonly string[]): boolean {
  const document = documentOf(registry, parts);
  if (document === undefined) return false;
  const [root, group = ''] = parts;
  const isRoute = root === 'api' || (parts.length === 3 && registry.isBuiltIn(group));
  if (isRoute) requireGet(exchange);
  answer(exchange, document, isRoute ? PLAIN_ROUTE : PLAIN);
  return true;
}

/** @throws ApiError 406 when the client accepts neither JSON nor YAML. */
function answer(exchange: Exchange, document: Json, offer: Offer): void {
  if (exchange.formFrom(offer).mediaType === 'yaml') exchange.yaml(200, document);
  else exchange.json(200, document);
}

function documentOf(registry: Registry, parts: readonly string[]): Json | undefined {
  const [root, first = '', second = ''] = parts;
  if (root === 'api') return parts.length === 2 ? resourceList(registry, '', first) : undefined;
  if (parts.length === 2) return groupDocument(registry, first);
  return parts.length === 3 ? resourceList(registry, first, second) : undefined;
}

function root(exchange: Exchange, cluster: Cluster, core: boolean, address: string): boolean {
  const { registry, behaviour } = cluster;
  if (core) requireGet(exchange);
  if (!behaviour.gates.aggregatedDiscovery || !wantsAggregated(exchange)) {
    if (core) answer(exchange, apiVersions(address), PLAIN_ROUTE);
    else answer(exchange, groupList(registry), PLAIN);
    return true;
  }
  const document = aggregatedDiscovery(registry, core);
  const etag = entityTag(document);
  const headers = { etag, vary: 'Accept', 'cache-control': 'public' };
  if (exchange.header('if-none-match') === etag) {
    exchange.head(304, headers);
    exchange.response.end();
  } else exchange.text(200, `${goJson(document)}\n`, AGGREGATED_TYPE, headers);
  return true;
}

function wantsAggregated(exchange: Exchange): boolean {
  for (const { type, parameters } of clauses(exchange.header('accept'))) {
    if (type !== 'application/json') continue;
    const as = parameters.get('as');
    if (as === undefined) return false;
    const isGroup = parameters.get('g') === 'apidiscovery.k8s.io';
    if (as === 'APIGroupDiscoveryList' && isGroup && parameters.get('v') === 'v2') return true;
  }
  return false;
}
