import { methodNotAllowed } from '../failures.ts';
import { flag } from '../request/options.ts';
import { patchObject } from '../verbs/patch.ts';
import type { Target } from '../verbs/target.ts';
import { mediaTypeOf, readBody } from './body.ts';
import { type Handling, send, writeOptions } from './handling.ts';
import { presentObject } from './present.ts';

/** Answers a PATCH of an object or of its status. */
export async function patchTarget(
  handling: Handling,
  target: Target,
  subresource: string | undefined,
): Promise<void> {
  const { exchange, cluster, served } = handling;
  if (!served.verbs.includes('patch')) throw methodNotAllowed();
  const { text } = await readBody(exchange);
  const { object, created } = patchObject(
    cluster,
    target,
    { mediaType: mediaTypeOf(exchange), text },
    {
      ...writeOptions(exchange, 'PatchOptions', subresource),
      force: flag(exchange.query, 'force'),
      fieldManager: exchange.query.get('fieldManager') ?? '',
    },
  );
  send(handling, created ? 201 : 200, presentObject(object, served, handling.view));
}
