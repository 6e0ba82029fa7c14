      * What a caller asks: 31 bytes.
       01  LOAN-REQUEST.
           05 CUSTOMER-NAME          PIC X(20).
           05 LOAN-AMOUNT            PIC 9(7)V99  COMP-3.
           05 MONTHS                 PIC 9(3)     COMP.
           05 INCOME                 PIC 9(5)V99  COMP-3.
