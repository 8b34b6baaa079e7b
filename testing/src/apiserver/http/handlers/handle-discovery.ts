import type { Cluster } from '../../cluster/cluster.ts';
import { AGGREGATED_TYPE, aggregatedDiscovery, entityTag } from '../../discovery/aggregated.ts';
import { type HealthEndpoint, hasCheck, healthReport } from '../../discovery/health.ts';
import { apiVersions, groupDocument, groupList, resourceList } from '../../discovery/legacy.ts';
import { METRICS_TYPE, metricsText, type ObjectCount } from '../../discovery/metrics.ts';
import { rootPaths } from '../../discovery/root-paths.ts';
import { ISSUER_KEYS, issuerDocument } from '../../discovery/token-issuer.ts';
import { goJson, prettyJson } from '../../objects/canonical.ts';
import type { Json } from '../../objects/metadata.ts';
import type { ResourceName } from '../../objects/stored-object.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { clauses, negotiate } from '../exchange/negotiate.ts';
import { handleOpenApi } from './handle-open-api.ts';

/** Answers paths that are no resource. @returns false for a path that is not served. */
export function handleDiscovery(exchange: Exchange, cluster: Cluster, address: string): boolean {
  const { path, method } = exchange;
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (path === '/') {
    exchange.text(200, prettyJson(rootPaths(cluster.registry)), 'application/json');
    return true;
  }
  if (path === '/.well-known/openid-configuration') {
    exchange.json(200, issuerDocument(address));
    return true;
  }
  if (path === '/openid/v1/jwks') {
    exchange.json(200, ISSUER_KEYS, 'application/jwk-set+json');
    return true;
  }
  const parts = path.replace(/\/$/, '').split('/').slice(1);
  switch (parts[0]) {
    case 'healthz':
    case 'livez':
    case 'readyz':
      return health(exchange, parts[0], parts.slice(1).join('/'));
    case 'version':
      if (parts.length > 1) return false;
      exchange.text(200, prettyJson(cluster.behaviour.gates.version), 'application/json');
      return true;
    case 'metrics':
      if (parts.length > 1) return false;
      exchange.text(
        200,
        metricsText(cluster.behaviour.gates.version, objectCounts(cluster)),
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

/** Of each collection once, whatever versions it is served in. */
function objectCounts({ registry, storage }: Cluster): readonly ObjectCount[] {
  const counts = new Map<ResourceName, ObjectCount>();
  for (const { storedAs, group, plural, verbs } of registry.all()) {
    if (!verbs.includes('list') || counts.has(storedAs)) continue;
    counts.set(storedAs, { group, resource: plural, count: storage.list(storedAs).length });
  }
  return [...counts.values()];
}

function health(exchange: Exchange, endpoint: HealthEndpoint, check: string): boolean {
  if (check !== '' && !hasCheck(endpoint, check)) return false;
  const verbose = check === '' && exchange.query.has('verbose');
  const exclude = exchange.query.getAll('exclude');
  exchange.plain(200, healthReport(endpoint, { verbose, exclude }));
  return true;
}

/** `/api/v1`, `/apis/<group>` and `/apis/<group>/<version>` */
function resources(exchange: Exchange, registry: Registry, parts: readonly string[]): boolean {
  const document = documentOf(registry, parts);
  if (document === undefined) return false;
  answer(exchange, document);
  return true;
}

/** @throws ApiError 406 when the client takes neither JSON nor YAML. */
function answer(exchange: Exchange, document: Json): void {
  if (negotiate(exchange.header('accept')).mediaType === 'yaml') exchange.yaml(200, document);
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
  if (!behaviour.gates.aggregatedDiscovery || !wantsAggregated(exchange)) {
    answer(exchange, core ? apiVersions(address) : groupList(registry));
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
    if (as === 'APIGroupDiscoveryList' && parameters.get('v') === 'v2') return true;
  }
  return false;
}
