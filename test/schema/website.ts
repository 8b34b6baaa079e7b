import {
  AGE_COLUMN,
  customResource,
  IntOrString,
  ListMap,
  ListSet,
  Nullable,
  Quantity,
  Type,
  withRules,
} from '../../operator/schema.ts';

/** A resource with something of everything. */
export const websites = customResource({
  group: 'example.dev',
  version: 'v1',
  kind: 'Website',
  shortNames: ['web'],
  categories: ['all'],
  description: 'A website.',
  spec: withRules(
    Type.Object(
      {
        image: Type.String({ minLength: 1, description: 'What to run.' }),
        replicas: Type.Integer({ minimum: 0, maximum: 10, default: 1 }),
        tier: Type.Union([Type.Literal('free'), Type.Literal('paid')], { default: 'free' }),
        size: Type.Optional(Type.Enum(['S', 'M'])),
        memory: Type.Optional(Quantity()),
        surge: Type.Optional(IntOrString()),
        note: Type.Optional(Nullable(Type.String())),
        labels: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 5 }))),
        hosts: Type.Optional(ListSet(Type.String({ format: 'hostname' }), { maxItems: 3 })),
        ports: Type.Optional(
          ListMap(
            Type.Object({
              name: Type.String({ pattern: '^[a-z.-]+$' }),
              port: Type.Integer({ format: 'int32', exclusiveMinimum: 0 }),
              protocol: Type.String({ default: 'TCP' }),
            }),
            ['name', 'protocol'],
          ),
        ),
      },
      { description: 'What is wanted.' },
    ),
    [
      {
        rule: "self.tier == 'paid' || self.replicas <= 3",
        message: 'the free tier has three replicas',
        fieldPath: '.replicas',
      },
    ],
  ),
  status: Type.Object({
    replicas: Type.Integer({ default: 0 }),
    selector: Type.Optional(Type.String()),
  }),
  printerColumns: [
    { name: 'Replicas', jsonPath: '.spec.replicas' },
    { name: 'Tier', jsonPath: '.spec.tier', priority: 1 },
    { name: 'Ready', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    AGE_COLUMN,
  ],
  selectableFields: ['.spec.tier'],
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
  rules: [{ rule: "self.metadata.name != 'forbidden'", message: 'any other name' }],
});
