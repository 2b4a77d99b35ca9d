import { gatewayErrorsIn, isRetryable, retryAfterSecondsOf } from './errors.js';
import { callerOf, isFixed,                            } from './account.js';
import { serverSentEvents } from './event-stream.js';
import { isOfType, post, resultOf } from './http.js';

/** What is followed, and by whom. */
                                               
                                                                                                                   
                                 
                                                          
                                                      
                                                                                
                              
                                                                                               
                              
                                                                                                                                          
                              
 

/** An error of GraphQL, or one of the connection. */
                            
                           
 

/** A delivery that has appeared, the oldest first. One may come again when a stream goes on after more than 250 within a minute. */
                                       
                            
                         
                                                                     
                          
                                                 
                                        
 

/** The beginning of a state. The first event is one. */
                                   
                         
                                                                                      
                                    
                     
                         
                                                                                                                          
                                 
                                                                                                             
                           
                                                                     
                                 
 

/** A delivery that cannot be shown; the feed goes on. */
                                 
                         
                                        
 

/** The last event: a failure that does not pass, such as a refused key with no new one, or another account. */
                            
                       
                                        
                                                                                                                                 
                                      
 

export const accountChanged            = {
  type: 'end',
  errors: [{ message: 'Another account is signed in than at the beginning, or none.' }],
  hasAccountChanged: true,
};

                                                                                                  

                                                                

/**
 * Follows the deliveries that appear, over broken connections and restarts of the gateway, until the function that it returns is called
 * or a failure comes that does not pass. `Row` is the type of `selection`.
 */
export function followDeliveries               (options             , listener                   )             {
  const left = new AbortController();
  let account                            = null;
  const mayFollow = (caller        )          => {
    account ??= caller.account;
    if (options.account === undefined || (account !== null && account === caller.account)) return true;
    // A fault of the listener is none of the connection.
    queueMicrotask(() => listener(accountChanged));
    return false;
  };
  follow(options, listener                         , left.signal, mayFollow);
  return () => left.abort();
}

/** Whether a connection may be made for a caller. Where it may not, the feed is over. */
                                                                       

/** Follows as `followDeliveries` does, and asks before each connection. */
export function follow(
  options             ,
  listener                       ,
  signal             ,
  mayFollow           ,
)       {
  void new Feed(options, listener, signal, mayFollow).run();
}

/** Why a stream has ended that is to be followed by another. */
                 
                          
                                              
                                            
 

/** Timers take a longer delay for none. */
const longestDelay = 2_147_483_647;

/** In milliseconds. */
export const silenceOf = ({ silenceMs = 40_000 }             )         => Math.min(silenceMs, longestDelay);

const disconnected        = { reason: 'DISCONNECTED', retryAfterSeconds: null };

/** What comes in an event, under the names of the query below. */
                   
                                                                             
                                                                                    
 

                        
                          
                             
 

                                                

const queryOf = (selection        , fragments        )         => `
subscription DeliveryFeed($after: String, $filter: WebhookDeliveryFilter) {
  deliveryFeed(after: $after, filter: $filter) {
    ... on DeliveryArrived { cursor delivery { ${selection} } }
    ... on FeedStateChanged { state since cursor reason missed }
  }
}
${fragments}`;

class Feed {
           #options             ;
           #listener                       ;
           #signal             ;
           #mayFollow           ;
  #cursor               ;
  /** How many streams have ended since the last event. */
  #failures = 0;
  /** Whether more came behind the cursor than can be read. */
  #hasMissed = false;
  /** Whether the key of the last stream was refused. */
  #isRefused = false;

  constructor(options             , listener                       , signal             , mayFollow           ) {
    this.#options = options;
    this.#listener = listener;
    this.#signal = signal;
    this.#mayFollow = mayFollow;
    this.#cursor = options.after ?? null;
  }

  async run()                {
    while (!this.#signal.aborted) {
      const pause = await this.#followOnce().catch(() => disconnected);
      if (pause === null || this.#signal.aborted) return;
      const { reason, retryAfterSeconds } = pause;
      if (this.#failures === 0) this.#tellState('PAUSED', { reason, since: new Date().toISOString(), missed: false });
      await waited(waitMs(this.#failures++, retryAfterSeconds), this.#signal);
    }
  }

  /** Follows one stream to its end. Null where no other shall follow; throws where the connection breaks. */
  async #followOnce()                        {
    const { filter, selection = 'id status startedAt finishedAt', fragments = '' } = this.#options;
    const silenceMs = silenceOf(this.#options);
    const connection = new AbortController();
    const close = ()       => connection.abort();
    let timer = setTimeout(close, silenceMs);
    this.#signal.addEventListener('abort', close);
    try {
      const caller = await before(connection.signal, callerOf(this.#options));
      if (!(await this.#mayFollow(caller))) return null;
      const operation = { query: queryOf(selection, fragments), variables: { after: this.#cursor, filter } };
      const { signal } = connection;
      const response = await post(this.#options.url, caller.headers, operation, 'text/event-stream', signal);
      if (!isOfType(response, 'text/event-stream')) return await this.#pauseAfterRefusal(response);
      let hasBegun = false;
      for await (const { event, data, id } of serverSentEvents(response)) {
        clearTimeout(timer);
        timer = setTimeout(close, silenceMs);
        if (event === 'complete') break;
        const message = data ? (JSON.parse(data)           ) : null;
        // Behind an event that cannot be read, nothing goes on. An id without an event is where the stream begins.
        if (id !== null && id !== '') this.#cursor = id;
        if (message === null) continue;
        // The error of one delivery has a path within that; the stream goes on.
        const isEnd = message.data == null && !message.errors?.some(({ path = [] }) => path.length > 1);
        if (isEnd) return this.#pauseAfter(message.errors ?? [], hasBegun);
        this.#take(message);
        hasBegun = true;
      }
      return disconnected;
    } finally {
      clearTimeout(timer);
      this.#signal.removeEventListener('abort', close);
      close();
    }
  }

  #take({ data, errors = [] }         )       {
    const event = data?.deliveryFeed;
    this.#failures = 0;
    this.#isRefused = false;
    if (event === undefined) return this.#tell({ type: 'error', errors });
    if ('delivery' in event) {
      this.#cursor = event.cursor;
      this.#tell({ type: 'delivery', ...event, errors });
      return;
    }
    const { state, since, reason, cursor } = event;
    this.#cursor = cursor ?? this.#cursor;
    const isLive = state === 'LIVE';
    this.#tellState(state, { since, reason, missed: isLive && (event.missed || this.#hasMissed) });
    this.#hasMissed &&= !isLive;
  }

  /** What follows a response that is no stream. Errors of a proxy are not the gateway's, and pass where their status says so. */
  async #pauseAfterRefusal(response          )                        {
    const { status, headers } = response;
    const { errors = [] } = await resultOf(response);
    const mayPass = status >= 500 || status === 408 || status === 429;
    if (!mayPass || gatewayErrorsIn(errors).length > 0) return this.#pauseAfter(errors, false, status);
    return { ...disconnected, retryAfterSeconds: secondsIn(headers.get('retry-after') ?? '') };
  }

  /** What follows the errors that have ended a stream. Where they do not pass, they are told, and nothing follows. */
  #pauseAfter(errors                      , hasBegun         , status = 200)               {
    const [first] = gatewayErrorsIn(errors);
    const reason = first?.extensions.code ?? (status === 401 ? 'UNAUTHENTICATED' : disconnected.reason);
    const isTooMuch = reason === 'QUERY_TOO_COMPLEX';
    const wasRefused = this.#isRefused;
    this.#isRefused = reason === 'UNAUTHENTICATED';
    const mayBeRenewed = this.#isRefused && !wasRefused && !isFixed(this.#options);
    if (isTooMuch && first?.extensions.argument?.[0] === 'after') {
      this.#cursor = null;
      this.#hasMissed = true;
    } else if (!isRetryable(errors) && !(isTooMuch && hasBegun) && !mayBeRenewed) {
      // A reader who was too slow goes on behind the last cursor, and a function is asked once for a new key. No other failure passes.
      this.#tell({ type: 'end', errors, hasAccountChanged: false });
      return null;
    }
    return { reason, retryAfterSeconds: retryAfterSecondsOf(errors) };
  }

  #tellState(state                   , rest                                                       )       {
    this.#tell({ type: 'state', state, ...rest, cursor: this.#cursor });
  }

  #tell(event                    )       {
    if (this.#signal.aborted) return;
    try {
      this.#listener(event);
    } catch (error) {
      // A fault of the listener is none of the connection.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

/** The wait that a `Retry-After` names, in seconds or as a date; null for other texts. */
function secondsIn(text        )                {
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return seconds >= 0 ? seconds : null;
}

/** Twice as long after each failure, up to half a minute, and not all who were cut off together; never shorter than the gateway says. */
export function waitMs(failures        , retryAfterSeconds               , random = Math.random())         {
  const wait = Math.min(1000 * 2 ** failures, 30_000) * (0.5 + random / 2);
  return Math.min(wait + (retryAfterSeconds ?? 0) * 1000, longestDelay);
}

/** Settles as a promise does, but rejects when the signal aborts: what a page does before a connection may take for ever. */
export function before       (signal             , promise                )                 {
  const aborted = new Promise       ((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason         ), { once: true });
  });
  return Promise.race([promise, aborted]);
}

/** Resolves after so many milliseconds, or when the signal aborts. */
function waited(ms        , signal             )                {
  return new Promise((resolve) => {
    const done = ()       => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
