import { textsOf } from './event-stream.js';

/** Where the gateway is, and whose key it is asked with. */
                         
                                                       
                       
                                                                 
                        
                                                                                      
                                                                                    
 

                                                             

/** A request of GraphQL. */
                            
                          
                                                        
                               
                              
 

/** A response, or one event or piece of it. */
                         
                                                           
                                                            
                                                          
 

/** The headers of the next request, which say who asks. */
export async function headersOf({ key, headers = {} }                     )                   {
  const sent = new Headers(typeof headers === 'function' ? await headers() : headers);
  if (key !== undefined && !sent.has('authorization')) sent.set('authorization', `Bearer ${key}`);
  return sent;
}

/** Sends an operation, and resolves with the head of the response. */
export function post(
  url        ,
  own         ,
  operation           ,
  accept        ,
  signal             ,
)                    {
  const headers = { 'content-type': 'application/json', accept, ...Object.fromEntries(own) };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(operation), signal });
}

/** Whether a response is of a media type. */
export function isOfType(response          , type        )          {
  return response.headers.get('content-type')?.startsWith(type) === true;
}

/** The result of a response that comes whole. One that holds none, as that of a proxy, has an error that tells its status. */
export async function resultOf(response          )                  {
  const body = (await response.json().catch((error         ) => {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }))                 ;
  const hasErrors = Array.isArray(body?.errors) && body.errors.some((error) => typeof error?.message === 'string');
  if (body !== null && (hasErrors || body.data !== undefined)) return body;
  return { errors: [{ message: `The gateway answered ${response.status}, without a result.` }] };
}

/** The results of a response: of one that comes in pieces (`@defer`) each piece, else the whole. */
export async function* piecesOf(response          )                         {
  if (!isOfType(response, 'multipart/mixed')) {
    yield await resultOf(response);
    return;
  }
  let text = '';
  for await (const more of textsOf(response)) {
    // The boundary is a hyphen, behind two. In JSON there is no line break.
    const parts = (text + more).split('\r\n---');
    text = parts.pop() ?? '';
    for (const part of parts) if (part.includes('{')) yield JSON.parse(part.slice(part.indexOf('{')))          ;
  }
}
