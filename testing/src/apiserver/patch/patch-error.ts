import { ApiError } from 'chancery';

/** 422 as the server answers a patch that cannot be carried out: it says no more than this. */
export function unprocessablePatch(): ApiError {
  return new ApiError({
    status: 'Failure',
    message: 'the server rejected our request due to an error in our request',
    reason: 'Invalid',
    details: {},
    code: 422,
  });
}

/** 400: the bytes are not a patch of this form. */
export function malformedPatch(message: string): ApiError {
  return new ApiError({ status: 'Failure', message, reason: 'BadRequest', code: 400 });
}
