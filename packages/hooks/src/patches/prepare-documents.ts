import { ConfigurationError, messageOf, OperatorError, type Resource } from 'chancery';
import { collectionPath, inSlices, objectPath } from 'chancery/internal';
import type { Jq } from '../jq/jq.ts';
import { DocumentError } from '../results/document-error.ts';
import { type RequiredRight, requiredRights } from '../rights/required-rights.ts';
import { type PatchDocument, targetOf, titleOf } from './patch-document.ts';
import { actionWithoutServerFields } from './server-fields.ts';

/**
 * The resource of a kind, as a patch names it.
 *
 * @throws ConfigurationError `CONFIG` when there is no such kind.
 */
export type ResolveKind = (
  kind: string,
  apiVersion: string | undefined,
  signal: AbortSignal,
) => Promise<Resource>;

/** A document that can be sent, without fields that only the API server sets. */
export interface PreparedDocument extends PatchDocument {
  readonly resource: Resource;
  readonly needs: readonly RequiredRight[];
}

/**
 * Finds the resource of each document, and checks its names and its jq program.
 *
 * @throws DocumentError for a kind that there is not, a wrong scope, a name that no URL can have, or a program that cannot be compiled; as
 *   `resolve` does when discovery fails; `signal.reason` when aborted.
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

/** The hook may have written values of objects into its program, and jq's message quotes the program. */
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

/** A wrong kind or program is a fault of the document. Other failures are not. */
async function refused<T>(number: number, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof OperatorError) || error.code !== 'CONFIG') throw error;
    throw new DocumentError(number, messageOf(error), { cause: error });
  }
}
