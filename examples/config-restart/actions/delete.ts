import { isConflict, isNotFound, messageOf, OperatorError, type ReconcileContext } from 'chancery';
import { pods } from 'chancery/kubernetes';

/**
 * Deletes Pods, all at once, whatever that does to their service.
 *
 * A Pod that is gone, or has been replaced by another of its name, counts as deleted.
 *
 * @param podsByUid - names by uid.
 * @throws OperatorError `API_STATUS` after the last Pod when one or more could not be deleted.
 */
export async function deletePods(
  namespace: string,
  podsByUid: Readonly<Record<string, string>>,
  { client, log, signal }: Pick<ReconcileContext, 'client' | 'log' | 'signal'>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const [uid, name] of Object.entries(podsByUid)) {
    try {
      await client.delete(pods, { namespace, name }, { preconditions: { uid }, signal });
      log.info({ pod: name }, 'was deleted successfully');
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) continue;
      signal.throwIfAborted();
      log.warn({ pod: name, err: error }, 'Could not delete pod');
      failures.push(error);
    }
  }
  const [first] = failures;
  if (first === undefined) return;
  throw new OperatorError(`could not delete every Pod: ${messageOf(first)}`, {
    code: 'API_STATUS',
    layer: 'api-server',
    cause: first,
    context: { failed: failures.length },
  });
}
