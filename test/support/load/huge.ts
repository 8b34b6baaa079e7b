import { metadata, type Profile, words } from './profile.ts';

const BYTES = 1_000_000;
/**
 * One text for all of them, each with a part of its own: to make half a gigabyte takes a second. Made when it is asked
 * for: whoever is measured loads this file.
 */
let allWords: string | undefined;

/** A ConfigMap of the most bytes that an API server takes for one. */
export const huge: Profile = {
  title: 'ConfigMap 1 MB',
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  object(index, name, resourceVersion) {
    allWords ??= words(BYTES / 4, 0);
    return {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: metadata([index, name, resourceVersion], {}),
      data: { text: allWords.slice(index * 97, index * 97 + BYTES) },
    };
  },
};
