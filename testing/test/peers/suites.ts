import { FLUENT_CLIENT } from './clients/fluent.ts';
import { KOPF } from './clients/kopf.ts';
import { NODE_CLIENT } from './clients/node.ts';
import { PYTHON_CLIENT } from './clients/python.ts';
import { KUBECTL_FUNCTIONS } from './kubectl/functions.ts';
import type { Suite } from './suite.ts';

/** The examples of Metacontroller. */
const METACONTROLLER: Suite = {
  name: 'metacontroller',
  title: "Metacontroller's examples",
  repository: 'https://github.com/metacontroller/metacontroller',
  folder: 'metacontroller',
  outside: {},
  failing: {},
  notRun:
    'Metacontroller and the hooks of its examples run as images in Pods, which need a kubelet',
  elsewhere:
    'What five of them do is tested elsewhere, with functions that are written anew: CatSet, BlueGreenDeployment and service-per-pod are [examples/metacontroller](../examples/metacontroller/README.md), whose tests and those of [packages/metacontroller](../packages/metacontroller/test), which have IndexedJob and GlobalConfigMap as well, run them against the embedded API server.',
};

/** The examples of shell-operator. */
const SHELL_OPERATOR: Suite = {
  name: 'shell-operator',
  title: "shell-operator's examples",
  repository: 'https://github.com/flant/shell-operator',
  folder: 'shell-operator',
  outside: {},
  failing: {},
  notRun:
    'each example is an image with shell-operator in it, which runs in a Pod: that needs a kubelet',
  elsewhere:
    'None of them is run elsewhere. Hooks of ours that keep to the same contract are: those of [examples/hooks](../examples/hooks/README.md), and those in [packages/hooks](../packages/hooks/test).',
};

/** All suites, in the order of the page. */
export const SUITES: readonly Suite[] = [
  KUBECTL_FUNCTIONS,
  PYTHON_CLIENT,
  NODE_CLIENT,
  FLUENT_CLIENT,
  KOPF,
  METACONTROLLER,
  SHELL_OPERATOR,
];
