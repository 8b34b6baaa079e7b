import type { Cluster } from '../cluster.ts';
import { type OpenApiDocument, openApiDocument, openApiIndex } from '../open-api/documents.ts';
import { swaggerText } from '../open-api/swagger.ts';
import type { Exchange } from './exchange.ts';
import { clauses } from './negotiate.ts';

const PREFIX = '/openapi/v3/';

/** How long a client may keep a document that it asked for by its hash: for ever, which is a year. */
const YEAR_MS = 365 * 24 * 60 * 60 * 1_000;

/** Answers below `/openapi`. @returns false where there is no such document. */
export function handleOpenApi(exchange: Exchange, cluster: Cluster): boolean {
  const { path } = exchange;
  if (path === '/openapi/v3') return index(exchange, cluster);
  const text = path === '/openapi/v2' ? (): string => swaggerText(cluster.registry) : undefined;
  const document = path.startsWith(PREFIX)
    ? openApiDocument(cluster.registry, path.slice(PREFIX.length))
    : undefined;
  if (text === undefined && document === undefined) return false;
  if (!acceptsJson(exchange)) {
    exchange.head(406, { vary: 'Accept' });
    exchange.response.end();
  } else if (document !== undefined) versioned(exchange, cluster, document);
  else if (text !== undefined) exchange.text(200, text(), 'application/json', { vary: 'Accept' });
  return true;
}

/** The index is as new as the second in which it is asked for. */
function index(exchange: Exchange, { registry, clock }: Cluster): boolean {
  const nowMs = Math.floor(clock.now() / 1_000) * 1_000;
  const headers = { 'last-modified': new Date(nowMs).toUTCString() };
  const known = Date.parse(exchange.header('if-modified-since') ?? '');
  if (nowMs <= known) {
    exchange.head(304, headers);
    exchange.response.end();
    return true;
  }
  const text = JSON.stringify(openApiIndex(registry));
  exchange.text(200, text, 'text/plain; charset=utf-8', headers);
  return true;
}

function versioned(exchange: Exchange, { clock }: Cluster, { text, hash }: OpenApiDocument): void {
  const etag = `"${hash}"`;
  const asked = exchange.query.get('hash');
  if (asked && asked !== hash) {
    exchange.head(301, { location: `${exchange.path}?hash=${hash}`, etag, vary: 'Accept' });
    exchange.response.end();
    return;
  }
  const headers = {
    etag,
    vary: 'Accept',
    ...(asked
      ? {
          'cache-control': 'public, immutable',
          expires: new Date(clock.now() + YEAR_MS).toUTCString().replace('GMT', 'UTC'),
        }
      : {}),
  };
  if (exchange.header('if-none-match') === etag) {
    exchange.head(304, headers);
    exchange.response.end();
  } else exchange.text(200, text, 'application/json', headers);
}

function acceptsJson(exchange: Exchange): boolean {
  return clauses(exchange.header('accept')).some(({ type }) =>
    ['application/json', 'application/*', '*/*'].includes(type),
  );
}
