/** Every `extensions.code` of an error at a field, and of a request beyond the gateway's limits. The list is closed. */
export const gatewayErrorCodes = [
  'BAD_USER_INPUT',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'UNPROCESSABLE_ENTITY',
  'RATE_LIMITED',
  'UPSTREAM_ERROR',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_BAD_RESPONSE',
  'QUERY_TOO_COMPLEX',
  'INTERNAL_SERVER_ERROR',
]         ;

/** An `extensions.code`, on which a page may branch. */
                                                                  

/** What the platform's API reported of its own failure. */
                                
                                            
                             
                           
                         
                          
                           
                                                                               
                                           
 

/** An error of the gateway, as every GraphQL client hands it on. */
                               
                                                           
                           
                                                                                           
                                               
                        
                                    
                                                      
                                
                                                                                                                  
                                                     
                                                   
                                        
                                                                     
                            
                             
                                                   
                                      
                                                                                   
                                
                                
    
 

const codes                       = new Set(gatewayErrorCodes);

/** Whether a value is one error of the gateway, of a certain code where one is given. */
export function isGatewayError(value         , code                   )                        {
  const found = memberOf(memberOf(value, 'extensions'), 'code');
  return code === undefined ? codes.has(found) : found === code;
}

/**
 * The gateway's errors in whatever a client has thrown or returned: Apollo's CombinedGraphQLErrors, urql's CombinedError, Relay's and
 * graphql-request's errors, a response with `errors`, a list, one error, or null. None where the gateway cannot be
 * reached, or has refused the form of a request, such as a field that does not exist.
 */
export function gatewayErrorsIn(failure         )                          {
  if (isGatewayError(failure)) return [failure];
  if (Array.isArray(failure)) return failure.filter((each) => isGatewayError(each));
  for (const name of ['errors', 'graphQLErrors']) {
    const list = memberOf(failure, name);
    if (Array.isArray(list)) return gatewayErrorsIn(list);
  }
  // graphql-request has the response within its error, and Relay the source of it.
  const inner = memberOf(failure, 'response') ?? memberOf(failure, 'source');
  return Array.isArray(memberOf(inner, 'errors')) ? gatewayErrorsIn(inner) : [];
}

/** Whether the same request may succeed later: each of the gateway's errors says so. False where there is none. */
export function isRetryable(failure         )          {
  const errors = gatewayErrorsIn(failure);
  return errors.length > 0 && errors.every(({ extensions }) => extensions.retryable);
}

/** How long to wait before another attempt: the longest wait that an error names. Null where none does. */
export function retryAfterSecondsOf(failure         )                {
  const waits = gatewayErrorsIn(failure).flatMap(({ extensions }) => extensions.retryAfterSeconds ?? []);
  return waits.length === 0 ? null : Math.max(...waits);
}

function memberOf(value         , name        )          {
  return typeof value === 'object' && value !== null ? (value                           )[name] : undefined;
}
