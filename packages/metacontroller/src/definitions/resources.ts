import type { DefinedResource } from 'chancery/internal';
import type {
  CompositeController,
  ControllerRevision,
  DecoratorController,
} from './controller-object.ts';
import {
  CONTROLLER_STATUS,
  childTypesSchema,
  RESOURCE_FIELDS,
  RESOURCE_REQUIRED,
} from './controller-schema.ts';
import { definedResource } from './definition.ts';
import { ENDPOINT_CONFIGS, hooksSchema } from './hook-schema.ts';
import { described, FLAG, fields, INT32, listOf, TEXT, TEXTS } from './schema-parts.ts';
import { ANNOTATION_SELECTOR, LABEL_SELECTOR } from './selector-schema.ts';

/** The hooks that CompositeControllers and DecoratorControllers have. */
const HOOKS = ['sync', 'finalize', 'customize'];

/** The fields in the specs of both CompositeControllers and DecoratorControllers. */
const SHARED = {
  resyncPeriodSeconds: described(INT32, 'How often the hook is called when nothing changes.'),
  endpointConfigs: ENDPOINT_CONFIGS,
};

const STATUS_CHECKS = fields({
  conditions: listOf(fields({ type: TEXT, status: TEXT, reason: TEXT }, ['type'])),
});

/** The resource of CompositeControllers. A function decides about the children of a parent. */
export const compositeControllers: DefinedResource<CompositeController> = definedResource({
  kind: 'CompositeController',
  scope: 'Cluster',
  shortNames: ['cc', 'cctl'],
  description:
    'A controller whose function turns a parent and its children into the children it shall have.',
  required: ['spec'],
  properties: {
    spec: fields(
      {
        parentResource: fields(
          {
            ...RESOURCE_FIELDS,
            labelSelector: LABEL_SELECTOR,
            revisionHistory: fields({ fieldPaths: TEXTS }),
            ignoreStatusChanges: FLAG,
          },
          RESOURCE_REQUIRED,
        ),
        childResources: childTypesSchema({ statusChecks: STATUS_CHECKS }),
        generateSelector: FLAG,
        // Metacontroller declares two additional hooks and never calls them.
        hooks: hooksSchema([...HOOKS, 'preUpdateChild', 'postUpdateChild']),
        ...SHARED,
      },
      ['parentResource'],
    ),
    status: CONTROLLER_STATUS,
  },
});

/**
 * The resource of DecoratorControllers. A function adds labels, annotations, a status and
 * attachments to objects.
 */
export const decoratorControllers: DefinedResource<DecoratorController> = definedResource({
  kind: 'DecoratorController',
  scope: 'Cluster',
  shortNames: ['dec', 'decorators'],
  description:
    'A controller whose function adds labels, annotations, status and attachments to objects.',
  required: ['spec'],
  properties: {
    spec: fields(
      {
        resources: listOf(
          fields(
            {
              ...RESOURCE_FIELDS,
              labelSelector: LABEL_SELECTOR,
              annotationSelector: ANNOTATION_SELECTOR,
              ignoreStatusChanges: FLAG,
            },
            RESOURCE_REQUIRED,
          ),
        ),
        attachments: childTypesSchema(),
        hooks: hooksSchema(HOOKS),
        ...SHARED,
      },
      ['resources'],
    ),
    status: CONTROLLER_STATUS,
  },
});

/** The resource of stored revisions of parents, for rolling updates. */
export const controllerRevisions: DefinedResource<ControllerRevision> = definedResource({
  kind: 'ControllerRevision',
  scope: 'Namespaced',
  description: 'A revision of a parent, and which children belong to it.',
  required: ['parentPatch'],
  properties: {
    parentPatch: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    children: listOf(
      fields({ apiGroup: TEXT, kind: TEXT, names: TEXTS }, ['apiGroup', 'kind', 'names']),
    ),
  },
});
