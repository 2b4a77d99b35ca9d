import { headersOf,             } from './http.js';

/** Who follows, and what says so to the gateway. */
                                          
     
                                                                                                                                          
                                               
     
                                                                  
 

/** Whether a follower is the same, with the same key, at each connection. */
export function isFixed({ headers, account }          )          {
  return typeof headers !== 'function' && account === undefined;
}

/** The caller of one connection. */
                         
                                         
                                              
                            
 

/** Asks who follows now, and what says so: once for each connection, so that no other account can come in between. */
export async function callerOf(follower          )                  {
  const account = await follower.account?.();
  return { account, headers: await headersOf(follower) };
}

/** Tells callers apart: by their account, or else by a key and all that is sent beside it. Null if only a cookie may tell, or nothing. */
export function identityOf({ account, headers }        )                {
  if (account !== undefined) return account === null ? null : `account ${account}`;
  // Other schemes may let a whole team in, such as the password of a page that is being tested.
  const hasKey = /^bearer ./i.test(headers.get('authorization') ?? '');
  return hasKey ? JSON.stringify([...headers]) : null;
}
