import type { Cluster } from '../../cluster/cluster.ts';
import { type OpenApiDocument, openApiDocument, openApiIndex } from '../../open-api/documents.ts';
import { swagger } from '../../open-api/swagger.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { clauses } from '../exchange/negotiate.ts';

const PREFIX = '/openapi/v3/';

/**
 * How long clients may cache a document that they requested by its hash: a year, the largest usual
 * value.
 */
const YEAR_MS = 365 * 24 * 60 * 60 * 1_000;

/**
 * Answers requests below `/openapi`.
 * @returns false for an unknown document.
 */
export function handleOpenApi(exchange: Exchange, cluster: Cluster): boolean {
  const { path } = exchange;
  if (path === '/openapi/v3') return index(exchange, cluster);
  if (path === '/openapi/v2') return older(exchange, cluster.registry);
  const document = path.startsWith(PREFIX)
    ? openApiDocument(cluster.registry, path.slice(PREFIX.length))
    : undefined;
  if (document === undefined) return false;
  if (typeFor(exchange, ['json']) === undefined) notAcceptable(exchange);
  else versioned(exchange, cluster, document);
  return true;
}

/** The media type of the OpenAPI v2 message, and the older name under which kubectl requests it. */
const PROTOBUF = 'com.github.proto-openapi.spec.v2.v1.0+protobuf';
const OLD_PROTOBUF = 'com.github.proto-openapi.spec.v2@v1.0+protobuf';

function older(exchange: Exchange, registry: Registry): boolean {
  const type = typeFor(exchange, ['json', OLD_PROTOBUF, PROTOBUF]);
  if (type === undefined) return notAcceptable(exchange);
  const { text, hash, message } = swagger(registry);
  const etag = `"${hash}"`;
  const headers = { etag, vary: 'Accept' };
  if (isKnown(exchange, etag)) notModified(exchange, headers);
  else if (type === 'json') exchange.text(200, text, 'application/json', headers);
  else exchange.bytes(200, message, `application/${PROTOBUF}`, headers);
  return true;
}

function notAcceptable(exchange: Exchange): true {
  exchange.head(406, { vary: 'Accept' });
  exchange.response.end();
  return true;
}

function notModified(exchange: Exchange, headers: Readonly<Record<string, string>>): void {
  exchange.head(304, headers);
  exchange.response.end();
}

/** Whether the client already has the document. `If-None-Match` may contain several hashes, or `*`. */
function isKnown(exchange: Exchange, etag: string): boolean {
  const known = (exchange.header('if-none-match') ?? '').split(',').map((one) => one.trim());
  return known.some((one) => one === '*' || one.replace(/^W\//, '') === etag);
}

interface SentIndex {
  readonly secondMs: number;
  readonly text: string;
  /**
   * True if a different index was sent in the same second. The server then cannot decide by the date of a
   * client's copy whether the copy is current.
   */
  readonly ambiguous: boolean;
}

/** The index that each server sent last, keyed by the server's registry. */
const sent = new WeakMap<Registry, SentIndex>();

/**
 * Sends the index of the documents. Its modification time is the time of the request, in whole seconds. On a
 * real server, a client that requests the index twice within one second does not see resources that were
 * added in between. On this server it sees them, because a whole test may take less than a second.
 */
function index(exchange: Exchange, { registry, clock }: Cluster): boolean {
  const secondMs = Math.floor(clock.now() / 1_000) * 1_000;
  const headers = { 'last-modified': new Date(secondMs).toUTCString() };
  const known = Date.parse(exchange.header('if-modified-since') ?? '');
  const text = JSON.stringify(openApiIndex(registry));
  const last = sent.get(registry);
  if (secondMs <= known && last?.text === text && !last.ambiguous) {
    notModified(exchange, headers);
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
  if (isKnown(exchange, etag)) notModified(exchange, headers);
  else exchange.text(200, text, 'application/json', headers);
}

/** The first of the client's media types that is in `subtypes`; undefined when none of them is. */
function typeFor(exchange: Exchange, subtypes: readonly string[]): string | undefined {
  for (const { type } of clauses(exchange.header('accept'))) {
    const [family, subtype] = type.split('/');
    if (family !== 'application' && family !== '*') continue;
    const found = subtypes.find((one) => subtype === '*' || subtype === one);
    if (found !== undefined) return found;
  }
  return undefined;
}
