import { AGGREGATED_TYPE, aggregatedDiscovery, entityTag } from '../discovery/aggregated.ts';
import { apiVersions, groupDocument, groupList, resourceList } from '../discovery/legacy.ts';
import { openApiDocument, openApiIndex } from '../discovery/open-api.ts';
import { VERSION } from '../discovery/version.ts';
import { goJson, prettyJson } from '../objects/canonical.ts';
import type { Registry } from '../registry/registry.ts';
import type { Exchange } from './exchange.ts';
import { clauses } from './negotiate.ts';

/** Answers what is not a resource. @returns false for a path that names nothing. */
export function handleDiscovery(exchange: Exchange, registry: Registry, address: string): boolean {
  const { path, method } = exchange;
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (/^\/(healthz|readyz|livez)(\/.*)?$/.test(path)) return health(exchange);
  if (path === '/version' || path === '/version/') {
    exchange.text(200, prettyJson(VERSION), 'application/json');
    return true;
  }
  if (path.startsWith('/openapi/v3')) return openApi(exchange, registry);
  const parts = path.replace(/\/$/, '').split('/').slice(1);
  if (parts[0] !== 'api' && parts[0] !== 'apis') return false;
  if (parts.length === 1) return root(exchange, registry, parts[0] === 'api', address);
  const document =
    parts[0] === 'api'
      ? parts.length === 2 && resourceList(registry, '', parts[1] ?? '')
      : parts.length === 2
        ? groupDocument(registry, parts[1] ?? '')
        : parts.length === 3 && resourceList(registry, parts[1] ?? '', parts[2] ?? '');
  if (!document) return false;
  exchange.json(200, document);
  return true;
}

function health(exchange: Exchange): boolean {
  const name = exchange.path.slice(1).split('/')[0];
  const verbose = exchange.query.has('verbose');
  exchange.plain(200, verbose ? `[+]ping ok\n${name} check passed\n` : 'ok');
  return true;
}

function root(exchange: Exchange, registry: Registry, core: boolean, address: string): boolean {
  if (!wantsAggregated(exchange)) {
    exchange.json(200, core ? apiVersions(address) : groupList(registry));
    return true;
  }
  const text = `${goJson(aggregatedDiscovery(registry, core))}\n`;
  const etag = entityTag(text);
  const headers = { etag, vary: 'Accept', 'cache-control': 'public' };
  if (exchange.header('if-none-match') === etag) {
    exchange.head(304, headers);
    exchange.response.end();
  } else exchange.text(200, text, AGGREGATED_TYPE, headers);
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

function openApi(exchange: Exchange, registry: Registry): boolean {
  if (exchange.path === '/openapi/v3') {
    exchange.plain(200, JSON.stringify(openApiIndex(registry)));
    return true;
  }
  const document = openApiDocument(registry, exchange.path.slice('/openapi/v3/'.length));
  if (document === undefined) return false;
  exchange.json(200, document);
  return true;
}
