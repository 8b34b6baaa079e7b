import { fields, metadata, type Profile, words } from './profile.ts';

/** A ConfigMap of about so many bytes as `kubectl create` leaves it. */
export function configMap(title: string, bytes: number): Profile {
  return {
    title,
    group: '',
    version: 'v1',
    plural: 'configmaps',
    kind: 'ConfigMap',
    object(index, name, resourceVersion) {
      const filled = (text: string): unknown => ({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: metadata([index, name, resourceVersion], {
          labels: { app: 'web', part: `p${index % 10}` },
          managedFields: [MANAGED],
        }),
        data: { greeting: `hello ${index}`, revision: resourceVersion, text }, // every event changes it
      });
      const bare = JSON.stringify(filled('')).length;
      return filled(words(Math.ceil(bytes / 6), index).slice(0, Math.max(bytes - bare, 0)));
    },
  };
}

const MANAGED = {
  manager: 'kubectl-create',
  operation: 'Update',
  apiVersion: 'v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: {
    'f:data': { '.': {}, ...fields('greeting', 'revision', 'text') },
    'f:metadata': { 'f:labels': { '.': {}, ...fields('app', 'part') } },
  },
};
