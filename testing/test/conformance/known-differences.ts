/**
 * Exchanges that the embedded server answers in another way than the real one, each with the reason.
 * One that is equal by now fails the run: the line goes.
 */
export const KNOWN_DIFFERENCES: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  discovery: {
    20: 'the report names the checks that this server has; those of parts that it does not have are left out',
  },
  'kubectl-session': {
    20: 'simulated rollout: three Pods became ready within one status of the Deployment there, one after the other here (as in rollout 1, which is equal)',
    38: 'the real server answers in protobuf where the client takes it; this one in JSON, which the client takes, too',
    39: 'protobuf, as 38',
    65: 'simulated rollout: one status between the first and the last counts other Pods',
    69: 'protobuf, as 38',
    80: 'simulated controllers: the Events that the real ones wrote about a Deployment which was gone by then, as rollout 5',
    88: 'protobuf, as 38',
  },
  rollout: {
    5: 'simulated controllers: the real ones were throttled, and wrote Events about a Deployment that a recording before had deleted',
  },
};

/** The share of all exchanges that must be equal, in percent. */
export const THRESHOLD = 98;

/** The same for the second set, whose differences are not listed one by one: what is reached. */
export const SECOND_THRESHOLD = 98;
