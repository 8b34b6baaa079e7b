import { fields, metadata, type Profile, words } from './profile.ts';

const TIME = '2026-01-01T00:00:00Z';

/** A custom resource of 2 kB: the API server orders its fields as its author wrote them. */
export const widget: Profile = {
  title: 'custom resource 2 kB',
  group: 'bench.example',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  object: (index, name, resourceVersion) => ({
    apiVersion: 'bench.example/v1',
    kind: 'Widget',
    metadata: metadata([index, name, resourceVersion], {
      generation: 3,
      labels: { app: 'web', tier: 'front' },
      annotations: { 'bench.example/owner': 'team-a', 'bench.example/text': words(30, index) },
      managedFields: [MANAGED],
    }),
    spec: {
      size: index % 7,
      rules: Array.from({ length: 6 }, (_, at) => ({
        name: `rule-${at}`,
        weight: at * 10,
        enabled: at % 2 === 0,
      })),
      text: words(70, index),
    },
    status: {
      observedGeneration: 3,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Done',
          message: `seen ${resourceVersion}`, // by its operator, with every event
          lastTransitionTime: TIME,
          observedGeneration: 3,
        },
      ],
    },
  }),
};

const MANAGED = {
  apiVersion: 'bench.example/v1',
  fieldsType: 'FieldsV1',
  fieldsV1: {
    'f:spec': { '.': {}, ...fields('size', 'rules', 'text') },
    'f:status': { '.': {}, ...fields('conditions') },
  },
  manager: 'kubectl',
  operation: 'Apply',
  time: TIME,
};
