import { isDeepStrictEqual } from 'node:util';
import {
  type Client,
  type Clock,
  isAlreadyExists,
  isForbidden,
  isNotFound,
  type KubernetesObject,
  OperatorError,
  retryOnConflict,
} from 'chancery';
import {
  DOCUMENT_LIMITS,
  encodeExact,
  JsonLimitError,
  parseExact,
  readJsonValue,
  runInSlices,
  sleep,
  yieldToEventLoop,
} from 'chancery/internal';
import type { DeleteOptions, WriteOptions } from 'chancery/low-level';
import type { Jq } from '../jq/jq.ts';
import { type PatchAction, targetOf } from './patch-document.ts';
import type { PreparedDocument } from './prepare-documents.ts';
import { withoutServerFields } from './server-fields.ts';

/** The objects that are needed to apply a document. */
export interface ApplyParts {
  readonly client: Client;
  readonly jq: Pick<Jq, 'run'>;
  readonly clock: Clock;
  /** True when the client stores nothing, so that a deleted object still exists. Default false. */
  readonly dryRun?: boolean;
}

/**
 * How often, and for how long, `Delete` checks whether the object is gone. Both times are the same
 * as in shell-operator.
 */
const GONE_CHECK_MS = 1_000;
const GONE_LIMIT_MS = 20_000;

/** Delays between the five attempts of an update: 10, 20, 40 and 80 ms. */
const CONFLICT_RETRIES = { attempts: 5, delayMs: 10, factor: 2 } as const;

const PROPAGATION = {
  Delete: 'Foreground',
  DeleteInBackground: 'Background',
  DeleteNonCascading: 'Orphan',
} as const;

/**
 * Applies one document.
 *
 * @param fieldManager - the writer's name in `metadata.managedFields`.
 * @throws the errors of `Writer`; OperatorError `USER_CODE` when a jq program does not return
 * exactly one object, when the object does not have the subresource, or when a deleted object still
 * exists after 20 s; `signal.reason` when aborted.
 */
export async function applyDocument(
  document: PreparedDocument,
  parts: ApplyParts,
  fieldManager: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await carryOut(document, parts, { fieldManager, signal });
  } catch (error) {
    const mayBeMissing = document.ignoreMissingObject && !('object' in document.action);
    if (!(mayBeMissing && isNotFound(error))) throw error;
    const subresource = subresourceOf(document.action);
    if (subresource === undefined || !(await isThere(document, parts, signal))) return;
    throw misbehaved(`the object has no subresource ${subresource}`, error);
  }
}

function subresourceOf(action: PatchAction): string | undefined {
  if (action.operation === 'Status') return 'status';
  return 'subresource' in action ? action.subresource : undefined;
}

/**
 * True when the object exists. The API server gives the same answer for a missing object and for a
 * custom resource without the subresource. Without the permission to read the object, the two cases
 * cannot be distinguished, and the object counts as missing.
 */
async function isThere(
  { action, resource }: PreparedDocument,
  { client }: ApplyParts,
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace, name } = targetOf(action);
  try {
    return (await client.find(resource, { namespace, name }, { signal })) !== undefined;
  } catch (error) {
    const isShut = error instanceof OperatorError && error.code === 'AMBASSADOR_FORBIDDEN';
    if (isShut || isForbidden(error)) return false;
    throw error;
  }
}

type Write = WriteOptions & { readonly fieldManager: string; readonly signal: AbortSignal };

async function carryOut(
  document: PreparedDocument,
  parts: ApplyParts,
  write: Write,
): Promise<void> {
  const { action, resource } = document;
  const { client } = parts;
  const { namespace, name } = targetOf(action);
  const target = { namespace, name };
  const subresource = subresourceOf(action);
  const part = subresource === undefined ? write : { ...write, subresource };
  switch (action.operation) {
    case 'Create':
      await client.create(resource, action.object, write);
      return;
    case 'CreateIfNotExists':
      await unlessExists(() => client.create(resource, action.object, write));
      return;
    case 'CreateOrUpdate':
      await createOrUpdate(document, action.object, parts, write);
      return;
    case 'Apply':
      await client.apply(resource, action.object, { ...part, force: action.force });
      return;
    case 'Delete':
    case 'DeleteInBackground':
    case 'DeleteNonCascading':
      await remove(document, action.operation, parts, write.signal);
      return;
    case 'JQPatch':
      await jqPatch(document, action.jqFilter, parts, part);
      return;
    case 'MergePatch':
      await client.patch(resource, target, { type: 'merge', body: action.mergePatch }, part);
      return;
    case 'JSONPatch':
      await client.patch(resource, target, { type: 'json', body: action.jsonPatch }, part);
      return;
    case 'Status': {
      const body = { status: action.status };
      await client.patch(resource, target, { type: 'merge', body }, part);
      return;
    }
  }
}

/** True when the object was created, false when an object of that name exists. */
async function unlessExists(create: () => Promise<unknown>): Promise<boolean> {
  try {
    await create();
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}

/**
 * Creates or replaces the object. Fields that other writers have set are lost: the object becomes
 * exactly as the hook wrote it.
 */
async function createOrUpdate(
  { resource }: PreparedDocument,
  object: KubernetesObject,
  { client, clock }: ApplyParts,
  write: Write,
): Promise<void> {
  const { signal } = write;
  const { name, namespace } = object.metadata;
  await retryOnConflict(
    async () => {
      if (await unlessExists(() => client.create(resource, object, write))) return;
      const live = await client.find(resource, { name, namespace }, { signal });
      if (live === undefined) {
        await client.create(resource, object, write); // the object was deleted in the meantime
        return;
      }
      const { resourceVersion } = live.metadata;
      const metadata = { ...object.metadata, resourceVersion };
      await client.update(resource, { ...object, metadata }, write);
    },
    { clock, signal, ...CONFLICT_RETRIES },
  );
}

async function remove(
  { resource, action }: PreparedDocument,
  operation: keyof typeof PROPAGATION,
  { client, clock, dryRun = false }: ApplyParts,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name } = targetOf(action);
  const target = { namespace, name };
  const options: DeleteOptions = { propagationPolicy: PROPAGATION[operation], signal };
  try {
    await client.delete(resource, target, options);
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  if (operation !== 'Delete' || dryRun) return;
  const deadline = clock.monotonic() + GONE_LIMIT_MS;
  for (;;) {
    const live = await client.find(resource, target, { signal });
    // An object without a deletion timestamp is another object, created after the deletion.
    if (live?.metadata.deletionTimestamp === undefined) return;
    if (clock.monotonic() >= deadline) {
      const left = live.metadata.finalizers?.join(', ') ?? '';
      const why = left === '' ? '' : `; its finalizers are ${left}`;
      throw misbehaved(`the object is still there after ${GONE_LIMIT_MS / 1_000} s${why}`);
    }
    await sleep(clock, GONE_CHECK_MS, signal);
  }
}

async function jqPatch(
  { resource, action }: PreparedDocument,
  program: string,
  { client, jq, clock }: ApplyParts,
  write: Write,
): Promise<void> {
  const { signal } = write;
  const { namespace, name } = targetOf(action);
  await retryOnConflict(
    async () => {
      const live = await client.get(resource, { namespace, name }, { signal });
      const before = encodeExact(live);
      const [outcome] = await jq.run(program, [before], signal);
      if (outcome === undefined || 'failure' in outcome) {
        throw misbehaved(`the jq program failed on the object: ${outcome?.message}`);
      }
      const [output = 'null', ...others] = outcome.outputs;
      const changed = await resultOf(output, signal);
      if (!isObject(changed) || others.length > 0) {
        throw misbehaved('the result of the jq program must be one object with metadata');
      }
      await yieldToEventLoop();
      const written = withoutServerFields(changed);
      const unchanged = withoutServerFields(parseExact(before) as KubernetesObject);
      if (isDeepStrictEqual(written, unchanged)) return;
      await yieldToEventLoop();
      // The program must not change the object's identity or overwrite a newer version.
      const { uid, resourceVersion } = live.metadata;
      const own = namespace === undefined ? { name } : { name, namespace };
      const metadata = { ...written.metadata, ...own, uid, resourceVersion };
      await client.update(resource, { ...written, metadata }, write);
    },
    { clock, signal, ...CONFLICT_RETRIES },
  );
}

/**
 * Parses the result of a program within limits, because a program can make a small object
 * arbitrarily large.
 */
async function resultOf(output: string, signal: AbortSignal): Promise<unknown> {
  const limits = { ...DOCUMENT_LIMITS, documents: 1 };
  try {
    return (await runInSlices(readJsonValue(output, limits), signal)).value;
  } catch (error) {
    if (!(error instanceof JsonLimitError)) throw error;
    throw misbehaved(`the result of the jq program ${error.message}`);
  }
}

function isObject(value: unknown): value is KubernetesObject {
  if (typeof value !== 'object' || value === null || !('metadata' in value)) return false;
  return typeof value.metadata === 'object' && value.metadata !== null;
}

function misbehaved(message: string, cause?: unknown): OperatorError {
  const code = { code: 'USER_CODE', layer: 'user-code' } as const;
  return new OperatorError(message, { ...code, ...(cause !== undefined && { cause }) });
}
