import type { StructuralSchema } from 'chancery/internal';
import { CONNECTION } from './connection-schema.ts';
import { described, FLAG, fields, INT32, listOf, TEXT } from './schema-parts.ts';

const WEBHOOK: StructuralSchema = fields({
  url: described(TEXT, 'The address of the hook. If it is given, service and path are not used.'),
  service: described(
    fields({ name: TEXT, namespace: TEXT, port: INT32, protocol: TEXT }, ['name', 'namespace']),
    'The Service of the hook. The port is 80 and the protocol http unless they are given.',
  ),
  path: described(TEXT, 'The path at the Service.'),
  timeout: described(
    { ...TEXT, format: 'duration' },
    'How long one call may take. 10s if it is zero, negative or not given.',
  ),
  etag: described(
    fields({ enabled: FLAG, cacheTimeoutSeconds: INT32, cacheCleanupSeconds: INT32 }),
    'Whether answers are stored by their ETag, so that the hook can answer 304.',
  ),
  responseUnMarshallMode: described(
    { ...TEXT, enum: ['loose', 'strict'] },
    'strict refuses answers with unknown or repeated fields. loose for v1 and strict for v2 unless it is given.',
  ),
  ...CONNECTION,
});

const HOOK: StructuralSchema = fields({
  version: described(
    { ...TEXT, default: 'v1', enum: ['v1', 'v2'] },
    'The form of the names in a request.',
  ),
  webhook: WEBHOOK,
});

/** The hooks of a controller. */
export function hooksSchema(names: readonly string[]): StructuralSchema {
  return described(
    fields(Object.fromEntries(names.map((name) => [name, HOOK]))),
    'The functions of the controller. A hook without a webhook counts as absent.',
  );
}

/** Connection settings keyed by host, for webhooks that set no connection settings. */
export const ENDPOINT_CONFIGS: StructuralSchema = described(
  listOf(fields({ host: TEXT, ...CONNECTION }, ['host'])),
  'Secures the connections to the webhooks of a host that say nothing about it themselves.',
);
