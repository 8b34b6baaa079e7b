import { ConfigurationError, messageOf, OperatorError, type Resource } from 'chancery';
import { collectionPath, inSlices, objectPath } from 'chancery/internal';
import type { Jq } from '../jq/jq.ts';
import { DocumentError } from '../results/document-error.ts';
import { type RequiredRight, requiredRights } from '../rights/required-rights.ts';
import { type PatchDocument, targetOf, titleOf } from './patch-document.ts';
import { actionWithoutServerFields } from './server-fields.ts';

/**
 * Finds the resource for the kind in a patch.
 *
 * @throws ConfigurationError `CONFIG` when there is no such kind.
 */
export type ResolveKind = (
  kind: string,
  apiVersion: string | undefined,
  signal: AbortSignal,
) => Promise<Resource>;

/** A document that can be sent. Fields that only the API server sets are removed. */
export interface PreparedDocument extends PatchDocument {
  readonly resource: Resource;
  readonly needs: readonly RequiredRight[];
}

/**
 * Finds the resource of each document, and checks its names and its jq program.
 *
 * @throws DocumentError when the kind does not exist, when the scope is wrong, when a name cannot
 * be part of a URL, or when a program cannot be compiled; the errors of `resolve`, when discovery
 * fails; `signal.reason` when aborted.
 */
export async function prepareDocuments(
  documents: readonly PatchDocument[],
  { resolve, jq }: { readonly resolve: ResolveKind; readonly jq: Pick<Jq, 'check'> },
  signal: AbortSignal,
): Promise<readonly PreparedDocument[]> {
  return await inSlices(documents, async (document) => {
    const { action, number } = document;
    const { kind, apiVersion, namespace, name } = targetOf(action);
    const resource = await refused(number, () => resolve(kind, apiVersion, signal));
    if (resource.namespaced !== (namespace !== undefined)) {
      const problem = resource.namespaced ? 'the namespace is missing' : `${kind} has no namespace`;
      throw new DocumentError(number, `${titleOf(action)}: ${problem}`);
    }
    const target = { namespace, name };
    const subresource = 'subresource' in action ? action.subresource : undefined;
    await refused(number, async () =>
      name === '' ? collectionPath(resource, namespace) : objectPath(resource, target, subresource),
    );
    if (action.operation === 'JQPatch') await requireProgram(number, action.jqFilter, jq);
    const { operation } = action;
    const needs = requiredRights({ operation, subresource }, resource, target);
    return { ...document, action: actionWithoutServerFields(action), resource, needs };
  });
}

/**
 * Checks a jq program. The error does not contain jq's message, because it quotes the program,
 * which may contain values of objects.
 */
async function requireProgram(
  number: number,
  program: string,
  jq: Pick<Jq, 'check'>,
): Promise<void> {
  try {
    await jq.check(program);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const problem = 'jq cannot compile jqFilter; chancery test-hook shows what jq says';
    throw new DocumentError(number, problem, { cause: error });
  }
}

/** Turns the error for a wrong kind or name into a DocumentError. Other errors pass unchanged. */
async function refused<T>(number: number, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof OperatorError) || error.code !== 'CONFIG') throw error;
    throw new DocumentError(number, messageOf(error), { cause: error });
  }
}
