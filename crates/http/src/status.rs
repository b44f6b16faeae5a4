//! Status codes of final responses and their names.

/// A status between 200 and 599.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status(u16);

/// One table: constant, code, name on the wire.
macro_rules! statuses {
    ($($constant:ident $code:literal $reason:literal)*) => {
        impl Status {
            $(
                #[doc = concat!(stringify!($code), " ", $reason)]
                pub const $constant: Self = Self($code);
            )*

            /// The name of the code, empty for one without a common name.
            #[must_use]
            pub fn reason(self) -> &'static str {
                match self.0 {
                    $($code => $reason,)*
                    _ => "",
                }
            }
        }
    };
}

statuses! {
    OK 200 "OK"
    CREATED 201 "Created"
    ACCEPTED 202 "Accepted"
    NON_AUTHORITATIVE 203 "Non-Authoritative Information"
    NO_CONTENT 204 "No Content"
    RESET_CONTENT 205 "Reset Content"
    PARTIAL_CONTENT 206 "Partial Content"
    MULTI_STATUS 207 "Multi-Status"
    MULTIPLE_CHOICES 300 "Multiple Choices"
    MOVED_PERMANENTLY 301 "Moved Permanently"
    FOUND 302 "Found"
    SEE_OTHER 303 "See Other"
    NOT_MODIFIED 304 "Not Modified"
    TEMPORARY_REDIRECT 307 "Temporary Redirect"
    PERMANENT_REDIRECT 308 "Permanent Redirect"
    BAD_REQUEST 400 "Bad Request"
    UNAUTHORIZED 401 "Unauthorized"
    PAYMENT_REQUIRED 402 "Payment Required"
    FORBIDDEN 403 "Forbidden"
    NOT_FOUND 404 "Not Found"
    METHOD_NOT_ALLOWED 405 "Method Not Allowed"
    NOT_ACCEPTABLE 406 "Not Acceptable"
    PROXY_AUTHENTICATION_REQUIRED 407 "Proxy Authentication Required"
    REQUEST_TIMEOUT 408 "Request Timeout"
    CONFLICT 409 "Conflict"
    GONE 410 "Gone"
    LENGTH_REQUIRED 411 "Length Required"
    PRECONDITION_FAILED 412 "Precondition Failed"
    CONTENT_TOO_LARGE 413 "Content Too Large"
    URI_TOO_LONG 414 "URI Too Long"
    UNSUPPORTED_MEDIA_TYPE 415 "Unsupported Media Type"
    RANGE_NOT_SATISFIABLE 416 "Range Not Satisfiable"
    EXPECTATION_FAILED 417 "Expectation Failed"
    IM_A_TEAPOT 418 "I'm a Teapot"
    MISDIRECTED_REQUEST 421 "Misdirected Request"
    UNPROCESSABLE_CONTENT 422 "Unprocessable Content"
    LOCKED 423 "Locked"
    FAILED_DEPENDENCY 424 "Failed Dependency"
    TOO_EARLY 425 "Too Early"
    UPGRADE_REQUIRED 426 "Upgrade Required"
    PRECONDITION_REQUIRED 428 "Precondition Required"
    TOO_MANY_REQUESTS 429 "Too Many Requests"
    HEADER_FIELDS_TOO_LARGE 431 "Request Header Fields Too Large"
    UNAVAILABLE_FOR_LEGAL_REASONS 451 "Unavailable For Legal Reasons"
    INTERNAL_SERVER_ERROR 500 "Internal Server Error"
    NOT_IMPLEMENTED 501 "Not Implemented"
    BAD_GATEWAY 502 "Bad Gateway"
    SERVICE_UNAVAILABLE 503 "Service Unavailable"
    GATEWAY_TIMEOUT 504 "Gateway Timeout"
    VERSION_NOT_SUPPORTED 505 "HTTP Version Not Supported"
    INSUFFICIENT_STORAGE 507 "Insufficient Storage"
}

impl Status {
    /// The status with this code; None if no final response can have it.
    #[must_use]
    pub fn new(code: u16) -> Option<Self> {
        (200..=599).contains(&code).then_some(Self(code))
    }

    /// The three-digit code.
    #[must_use]
    pub fn code(self) -> u16 {
        self.0
    }

    /// May a response of this status have no body?
    pub(crate) fn is_bodyless(self) -> bool {
        matches!(self, Self::NO_CONTENT | Self::NOT_MODIFIED)
    }
}
