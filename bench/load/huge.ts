import { metadata, type Profile, words } from './profile.ts';

const BYTES = 1_000_000;
/** One text for all of them, each with a part of its own: to make half a gigabyte takes a second. */
const ALL_WORDS = words(BYTES / 4, 0);

/** A ConfigMap of the most bytes that an API server takes for one. */
export const huge: Profile = {
  title: 'ConfigMap 1 MB',
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  object: (index, name, resourceVersion) => ({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: metadata([index, name, resourceVersion], {}),
    data: { text: ALL_WORDS.slice(index * 97, index * 97 + BYTES) },
  }),
};
