import type { Log } from '../../controller/reconciler.ts';
import { ProtocolError } from '../../core/errors.ts';
import type { ReflectorStatus } from '../../watch/reflector-status.ts';

interface SourceAdviceOptions {
  readonly log: Log;
  /** The fields that identify the source in every line. */
  readonly facts: object;
  /** The address of the ambassador. */
  readonly apiUrl: string | undefined;
  /** Explains why the source is not served; undefined when no explanation is available. */
  readonly explain: (() => Promise<string | undefined>) | undefined;
  /**
   * False for a source that the operator can do without, so that it is no problem if the source is not
   * served.
   */
  readonly isNeeded: () => boolean;
  /** Called with the error when `explain` throws because of a bug. */
  readonly failed: (bug: unknown) => void;
}

const OTHER_SERVER =
  'another server listens at this URL: look which one has the port, or set CHANCERY_API_URL to the ' +
  'address of kubectl proxy';

/**
 * Logs what a person can do about a source, once for each of these problems: the resource is not served,
 * because it is misspelt or not installed; or the server at the URL is not a Kubernetes API server.
 */
export function sourceAdvice({
  log,
  facts,
  apiUrl,
  explain,
  isNeeded,
  failed,
}: SourceAdviceOptions): (status: ReflectorStatus) => void {
  let hasToldOfServer = false;
  let hasExplained = false;
  const explained = (remedy: string | undefined): void => {
    if (remedy !== undefined) log.warn({ ...facts, apiUrl, remedy }, 'resource is not served');
  };
  return ({ health, error }) => {
    if (error instanceof ProtocolError && error.code === 'NOT_KUBERNETES') {
      if (!hasToldOfServer) {
        log.warn({ ...facts, apiUrl, remedy: OTHER_SERVER }, 'no Kubernetes API answers');
      }
      hasToldOfServer = true;
    } else if (health === 'unserved' && explain !== undefined && !hasExplained && isNeeded()) {
      hasExplained = true;
      explain().then(explained, failed);
    }
  };
}
