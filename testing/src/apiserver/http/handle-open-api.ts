import type { Cluster } from '../cluster.ts';
import { type OpenApiDocument, openApiDocument, openApiIndex } from '../open-api/documents.ts';
import { swaggerText } from '../open-api/swagger.ts';
import type { Registry } from '../registry/registry.ts';
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

interface SentIndex {
  readonly secondMs: number;
  readonly text: string;
  /** Another text went out in the same second: who has which is not known. */
  readonly ambiguous: boolean;
}

/** What each server sent last. */
const sent = new WeakMap<Registry, SentIndex>();

/**
 * The index is as new as the second in which it is asked for. The real one tells a client nothing of
 * a resource that came in the same second; this one does, because a whole test fits into a second.
 */
function index(exchange: Exchange, { registry, clock }: Cluster): boolean {
  const secondMs = Math.floor(clock.now() / 1_000) * 1_000;
  const headers = { 'last-modified': new Date(secondMs).toUTCString() };
  const known = Date.parse(exchange.header('if-modified-since') ?? '');
  const text = JSON.stringify(openApiIndex(registry));
  const last = sent.get(registry);
  if (secondMs <= known && last?.text === text && !last.ambiguous) {
    exchange.head(304, headers);
    exchange.response.end();
    return true;
  }
  const sameSecond = last?.secondMs === secondMs;
  const ambiguous = sameSecond && (last.ambiguous || last.text !== text);
  sent.set(registry, { secondMs, text, ambiguous });
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
