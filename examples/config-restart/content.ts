import { createHash } from 'node:crypto';
import type { ConfigMap } from 'chancery/kubernetes';

/** What a ConfigMap holds, as digests: content is never stored or logged. */
export interface Content {
  /** SHA-256 in hex over `data` and `binaryData`. */
  readonly hash: string;
  /** SHA-256 in hex over the labels and annotations that people edit. */
  readonly metadataHash: string;
}

/**
 * The digests of `configMap`. Equal content has equal digests in every process and version: pairs
 * are sorted by code unit and joined as JSON, so that no two contents share one text.
 */
export function contentOf(configMap: ConfigMap): Content {
  const { labels, annotations } = configMap.metadata;
  return {
    hash: digest([pairs(configMap.data), pairs(configMap.binaryData)]),
    metadataHash: digest([pairs(labels).filter(isUsers), pairs(annotations).filter(isUsers)]),
  };
}

/** One digest of content and, where it counts, metadata. */
export function revisionOf(content: { hash: string; metadataHash?: string | undefined }): string {
  if (content.metadataHash === undefined) return content.hash;
  return digest([content.hash, content.metadataHash]);
}

type Pair = readonly [key: string, value: string];

function pairs(record: Readonly<Record<string, string>> = {}): Pair[] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/**
 * Keys that programs write. Counting them would restart Pods for ever, as a lock that renews itself
 * every two seconds does, or for a change of how to watch instead of what.
 */
const PROGRAMS_WRITE = [
  /^kubectl\.kubernetes\.io\//,
  /^control-plane\.alpha\.kubernetes\.io\/leader$/,
  /^([^/]+\.)?chancery\.dev\//,
  /^k8spatterns\.(io|com)\/(podDeleteSelector|restartStrategy|debounceSeconds|restartOn)$/,
];

function isUsers([key]: Pair): boolean {
  return !PROGRAMS_WRITE.some((pattern) => pattern.test(key));
}
