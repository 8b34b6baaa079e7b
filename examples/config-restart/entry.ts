/** What was last acted upon for one ConfigMap. The `data` value of its name in the state. */
export interface Entry {
  /** Digest of the content that the Pods have, or had when watching began. */
  readonly hash: string;
  /** Digest of its metadata, while a watcher says `restartOn: any`. */
  readonly metadataHash?: string | undefined;
  /** Restarts so far, so that no two of them carry the same stamp. */
  readonly restarts: number;
  /** Front ends of the watchers. An unknown one keeps the entry when no watcher is seen. */
  readonly frontEnds: readonly string[];
  /** Present while Pods wait to be replaced one by one. */
  readonly pending?: Pending | undefined;
  /** RFC 3339; since when the ConfigMap does not exist. */
  readonly missingSince?: string | undefined;
}

/** A restart that has begun. Pods by uid, so that a replacement of the same name is not one of them. */
export interface Pending {
  readonly hash: string;
  readonly metadataHash?: string | undefined;
  readonly restarts: number;
  readonly evict: Readonly<Record<string, string>>;
  readonly delete: Readonly<Record<string, string>>;
  /** Ready Pods at the beginning, for owners whose wanted number cannot be read. */
  readonly readyPods?: Readonly<Record<string, number>> | undefined;
}

/** How long a deleted ConfigMap is remembered: recreating it with other content is a change. */
const KEEP_MISSING_MS = 24 * 60 * 60 * 1_000;

/** True when the ConfigMap has been gone for so long that a new one has nothing to do with it. */
export function isForgotten({ missingSince }: Entry, nowMs: number): boolean {
  return missingSince !== undefined && nowMs - Date.parse(missingSince) > KEEP_MISSING_MS;
}

/** The entry in `text`, or undefined when somebody has damaged it. */
export function parseEntry(text: string): Entry | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isEntry(value) ? value : undefined;
  } catch {
    return undefined; // not JSON: the caller says so, and begins anew
  }
}

function isEntry(value: unknown): value is Entry {
  if (!isRecord(value)) return false;
  const { hash, restarts, frontEnds, pending, missingSince } = value;
  return (
    typeof hash === 'string' &&
    typeof restarts === 'number' &&
    Array.isArray(frontEnds) &&
    (missingSince === undefined || !Number.isNaN(Date.parse(String(missingSince)))) &&
    (pending === undefined || isPending(pending))
  );
}

function isPending(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value.hash === 'string' &&
    typeof value.restarts === 'number' &&
    isRecord(value.evict) &&
    isRecord(value.delete)
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
