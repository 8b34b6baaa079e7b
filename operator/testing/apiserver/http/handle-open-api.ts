import type { Cluster } from '../cluster.ts';
import { openApiDocument, openApiIndex } from '../discovery/open-api.ts';
import type { Exchange } from './exchange.ts';

/** Answers below `/openapi`. @returns false where there is no such document. */
export function handleOpenApi(exchange: Exchange, { registry }: Cluster): boolean {
  if (exchange.path === '/openapi/v3') {
    exchange.plain(200, JSON.stringify(openApiIndex(registry)));
    return true;
  }
  const document = openApiDocument(registry, exchange.path.slice('/openapi/v3/'.length));
  if (document === undefined) return false;
  exchange.json(200, document);
  return true;
}
