      * A request and its reply. Both are characters alone, so that
      * any platform can read them (MQFMT-STRING).
       01  PRICE-REQUEST.
           05  PRICE-ITEM       PIC X(8).
           05  PRICE-QUANTITY   PIC 9(4).
       01  PRICE-REPLY.
           05  REPLY-ITEM       PIC X(8).
           05  REPLY-TOTAL      PIC 9(9)V99.
           05  REPLY-STATUS     PIC X.
               88  ITEM-IS-KNOWN    VALUE 'K'.
               88  ITEM-IS-UNKNOWN  VALUE 'U'.
       01  QUANTITY-TEXT        PIC X(8).
